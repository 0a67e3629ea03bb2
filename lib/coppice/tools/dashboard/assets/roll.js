// What is to be said of releases, in words: for the head and the view.

import { age, count, plural } from "./format.js";
import { derived } from "./dom.js";

// release 2 (4f2a77e)
export function releaseName({ number, revision }) {
  return [number ? `release ${number}` : "a release", revision && `(${revision})`].filter(Boolean).join(" ");
}

const PHASES = {
  checking: () => "its directory is checked",
  waiting: () => "it waits until its application can be booted",
  booting: () => "its application boots",
  trial: () => "its first worker starts",
  canary: ({ canary }) =>
    `its first worker has served ${count(canary.requests)} of ${plural(canary.wanted, "request")} of the canary, ` +
    `${count(canary.failed)} of them failed`,
  rollout: ({ workers_left: left }) => `it is committed, and ${plural(left, "worker is", "workers are")} left to replace`,
};

// Of the roll that is under way; null without one.
export function rollSentence({ releases: { roll } }) {
  if (!roll) return null;
  const target = roll.number ? releaseName(roll) : roll.directory;
  return [
    `A ${roll.kind} to ${target} is under way for `,
    derived(roll.age, "age"),
    `: ${PHASES[roll.phase]?.(roll) ?? roll.phase}.`,
  ];
}

// Whether there is a roll to give up, or a release to go back to.
export function canRollBack({ releases: { roll, running, history } }) {
  if (roll) return roll.kind === "roll";
  return history.some(({ outcome, number }) => outcome === "committed" && number !== running?.number);
}

// Of the time in which a rollback needs no boot; null when it does.
export function rollbackSentence({ releases: { rollback } }) {
  if (!rollback) return null;
  return ` A rollback to ${releaseName(rollback)} needs no boot for another ${age(rollback.time_left)}.`;
}
