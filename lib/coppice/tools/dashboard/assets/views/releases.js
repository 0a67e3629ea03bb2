// Which release of the application runs, and what was asked for: rolls and rollbacks, and how they ended.

import { Card, fill, h, number, table } from "../dom.js";
import { moment } from "../format.js";
import { releaseName, rollbackSentence, rollSentence } from "../roll.js";

const COLUMNS = [
  { title: "release" },
  { title: "kind" },
  { title: "revision", kind: "revision" },
  { title: "asked" },
  { title: "by", kind: "phone-off" },
  { title: "canary", tip: "requests that its first worker has served before it was judged" },
  { title: "took", kind: "right phone-off", tip: "until it was committed or given up" },
  { title: "outcome", kind: "grow cut" },
];

export class Releases extends Card {
  constructor() {
    super("releases", "Releases", "Releases", "Which release of the application runs, and how the last rolls ended");
  }

  draw(stats) {
    const { history } = stats.releases;
    fill(this.says, this.sentence(stats));
    fill(
      this.body,
      table(
        COLUMNS,
        history.map((one, index) => this.row(stats, one, index)),
        "releases",
      ),
    );
  }

  sentence(stats) {
    const { running } = stats.releases;
    if (!running) return "Which release runs is not known here.";
    const roll = rollSentence(stats);
    return [
      roll && h("b", roll, " "),
      `The server runs ${releaseName(running)} since ${moment(running.since, stats.time)}.`,
      rollbackSentence(stats),
    ];
  }

  row(stats, one, index) {
    const path = `releases.history.${index}`;
    return [
      one.number ? h("b", number(stats, `${path}.number`)) : "–",
      one.kind,
      h("span", { "data-tip": one.directory }, one.revision ?? one.directory),
      h("span", { "data-tip": `by ${one.asked_by ?? "the start of the server"}` }, moment(one.time, stats.time)),
      one.asked_by ?? "–",
      this.canary(stats, one.canary, path),
      one.kind === "start" ? "–" : number(stats, `${path}.seconds`, "seconds"),
      this.outcome(one),
    ];
  }

  canary(stats, canary, path) {
    if (!canary?.requests) return "–";
    return [
      number(stats, `${path}.canary.requests`),
      h("small", " requests, "),
      number(stats, `${path}.canary.failed`),
      h("small", " failed"),
    ];
  }

  outcome({ outcome, reason }) {
    if (!outcome) return h("span.outcome.running", "under way");
    const words = outcome.replaceAll("_", " ");
    return h(
      "span",
      { "data-tip": reason },
      h(`span.outcome.${outcome}`, words),
      reason ? h("small", ` ${reason}`) : null,
    );
  }
}
