// What is known about the safety of forking this application.

import { Card, derived, empty, facts, fill, h, number } from "../dom.js";
import { clock, plural } from "../format.js";
import { sum, workersOf } from "../numbers.js";

const SHOWN = 12;

export class ForkSafety extends Card {
  constructor() {
    super(
      "fork-safety",
      "Fork safety",
      "Fork safety",
      "Whether workers may be promoted, and what the audit of promotions has found",
    );
  }

  draw(stats) {
    const workers = workersOf(stats);
    const bad = workers.filter((process) => !process.fork_safe);
    const abandoned = sum(stats.reforks.filter((one) => one.outcome === "abandoned").map((one) => one.count));
    const { refused, recent } = stats.fork_audit;
    fill(this.says, this.verdict(workers, bad, recent, refused));
    this.says.classList.toggle("bad", bad.length > 0 && bad.length === workers.length);
    fill(
      this.body,
      facts([
        ["not fork-safe", [derived(bad.length), h("small", ` of ${plural(workers.length, "worker")}`)]],
        ["abandoned promotions", [derived(abandoned), h("small", " since the server started")]],
        ["audit findings", [number(stats, "fork_audit.findings"), h("small", " in all generations")]],
        ["refused molds", [number(stats, "fork_audit.refused"), h("small", " for what the audit has found")]],
        ["hijacked clients", [number(stats, "totals.hijacked"), h("small", " since the server started")]],
      ]),
      bad.length
        ? h(
            "p.note",
            `Never promoted: worker ${bad
              .slice(0, SHOWN)
              .map((process) => process.slot)
              .join(", ")}${bad.length > SHOWN ? ` and ${bad.length - SHOWN} more` : ""}.`,
          )
        : null,
      this.routes(stats.server.unsafe_routes, workers),
      recent.length
        ? h(
            "ul.audit",
            recent.map((finding) => this.entry(finding)),
          )
        : empty("What the audit of a promoted worker finds, such as a shared socket, will be here."),
    );
  }

  // Those that make workers unsafe, and the worker that they are not given to.
  routes(routes, workers) {
    if (!routes?.length) return null;
    const heir = workers.find((process) => process.heir);
    return h(
      "ul.audit",
      routes.map(({ route, by }) => h("li", h("code", route), h("small", ` made a worker unsafe: ${by}`))),
      h("li", heir ? `Worker ${heir.slot} is spared them, as the heir.` : "No worker is spared them."),
    );
  }

  verdict(workers, bad, findings, refused) {
    if (workers.length && bad.length === workers.length)
      return "No worker may be promoted: each has said that it cannot be forked.";
    if (refused) return `The audit has kept ${plural(refused, "mold")} from being committed.`;
    if (findings.length) return `The audit has found ${plural(findings.length, "thing")} to look at.`;
    if (bad.length) return `${plural(workers.length - bad.length, "worker")} of ${workers.length} may be promoted.`;
    return "Every worker may be promoted.";
  }

  entry({ kind, message, owner, generation, time }) {
    return h(
      "li",
      h("b", { "data-tip": kind }, `${message}: `),
      h("code", owner ?? ""),
      h("small", ` gen ${generation}, ${clock(time)}`),
    );
  }
}
