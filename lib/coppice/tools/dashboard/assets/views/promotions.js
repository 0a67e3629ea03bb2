// The last promotions, phase by phase: the copy is forked, gets ready, proves itself, replaces the workers.

import { Card, derived, empty, fill, h, legend, number, table } from "../dom.js";
import { bytes, clock, originOf, plural, seconds } from "../format.js";
import { median, present, sum } from "../numbers.js";

const PHASES = ["fork", "prepare", "trial", "rollout"];
const MEANINGS = {
  fork: "the worker collects garbage and forks its copy",
  prepare: "the copy calls hooks",
  trial: "its first worker serves",
  rollout: "all workers are replaced",
};
const SHOWN = 10;

export class Promotions extends Card {
  constructor() {
    super(
      "promotions",
      "Promotions",
      "Promotions, phase by phase",
      "Each line is a worker's copy that became, or did not become, the next mold",
    );
    this.list = h("div");
    this.body.append(legend(...PHASES.map((phase) => [`phase-${phase}`, phase])), this.list);
  }

  draw(stats) {
    const all = stats.promotions;
    if (!all.length) {
      fill(this.says, "No promotion yet.");
      fill(this.list, empty("The first promotion comes when a worker is warm; its phases will be drawn here."));
      return;
    }
    const abandoned = all.filter((one) => one.outcome === "abandoned").length;
    const usual = median(
      all.filter((one) => one.outcome === "committed" && one.refork).map((one) => sum(Object.values(one.phases))),
    );
    const running = all.find((one) => !one.outcome);
    fill(
      this.says,
      running ? h("b", `Generation ${running.generation} is being made. `) : null,
      `${plural(all.length, "promotion")}, ${abandoned} abandoned; `,
      usual === null ? "no refork yet." : `a refork usually takes ${seconds(usual)}.`,
    );
    const longest = Math.max(...all.slice(0, SHOWN).map((one) => sum(Object.values(one.phases))), 0.001);
    fill(
      this.list,
      table(
        [
          { title: "gen" },
          { title: "started", kind: "phone-off" },
          { title: "phases", kind: "grow" },
          { title: "total", kind: "right" },
          { title: "private before → after", kind: "right phone-off" },
          { title: "outcome" },
        ],
        all.slice(0, SHOWN).map((one, index) => this.row(stats, one, index, longest)),
        "promotions",
      ),
    );
  }

  row(stats, one, index, longest) {
    const path = `promotions.${index}`;
    return [
      h("b.generation-text", number(stats, `${path}.generation`)),
      h("span", { "data-tip": `${one.reason.replaceAll("_", " ")}: ${originOf(one)}` }, clock(one.time)),
      h(
        "div.phases",
        { role: "img", "aria-label": PHASES.map((phase) => `${phase} ${seconds(one.phases[phase])}`).join(", ") },
        PHASES.filter((phase) => present([one.phases[phase]]).length).map((phase) =>
          h(`span.phase-${phase}`, {
            "data-tip": `${phase}: ${seconds(one.phases[phase])} – ${MEANINGS[phase]}`,
            style: { width: `${(100 * one.phases[phase]) / longest}%` },
          }),
        ),
      ),
      derived(sum(Object.values(one.phases)), "seconds"),
      one.private_after === null || !one.refork ? "–" : `${bytes(one.private_before)} → ${bytes(one.private_after)}`,
      one.outcome ? h(`span.outcome.${one.outcome}`, one.outcome) : h("span.outcome.running", "under way"),
    ];
  }
}
