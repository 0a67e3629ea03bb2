// A worker's first request against its median, by generation: what a fork of a warm process still has to warm up.

import { Card, empty, fill, h, legend } from "../dom.js";
import { factor, seconds } from "../format.js";
import { median, workersOf } from "../numbers.js";

const SHOWN = 10;

export class FirstRequest extends Card {
  constructor() {
    super(
      "first-request",
      "First request",
      "First request against median",
      "How much slower the first request of a new worker is, by generation; the scale is logarithmic",
    );
  }

  draw(stats) {
    const rows = this.rows(stats);
    if (!rows.length) {
      fill(this.says, "No first request has been measured yet.");
      fill(this.body, empty("Each new worker's first request will be compared with its median here."));
      return;
    }
    fill(this.says, this.verdict(rows));
    const values = rows.flatMap((row) => [row.first, row.median]);
    const low = Math.log10(Math.min(...values) / 1.5);
    const high = Math.log10(Math.max(...values) * 1.5);
    const place = (value) => (100 * (Math.log10(value) - low)) / (high - low);
    fill(
      this.body,
      legend(["dot latency-low", "median"], ["dot latency", "first request"]),
      h(
        "ol.dumbbells",
        rows.slice(0, SHOWN).map((row) => this.line(row, place)),
      ),
    );
  }

  // Of generations that live, from their workers; of others, what their promotion noted.
  rows(stats) {
    const rows = new Map();
    for (const one of stats.promotions) {
      if (one.outcome === "committed" && one.first_request_seconds && one.median_seconds)
        rows.set(one.generation, { first: one.first_request_seconds, median: one.median_seconds });
    }
    for (const generation of new Set(workersOf(stats).map((process) => process.generation))) {
      const workers = workersOf(stats).filter((process) => process.generation === generation);
      const [first, usual] = ["first_request_seconds", "median_seconds"].map((name) =>
        median(workers.map((process) => process[name])),
      );
      if (first && usual) rows.set(generation, { first, median: usual });
    }
    return [...rows]
      .map(([generation, row]) => ({ generation, ...row }))
      .sort((one, other) => other.generation - one.generation);
  }

  verdict(rows) {
    const [newest] = rows;
    const oldest = rows.at(-1);
    const slower = (row) => `${seconds(row.first)}, ${factor(row.first / row.median)}`;
    const now = `A new worker of generation ${newest.generation} answers first in ${slower(newest)} its median`;
    return oldest === newest ? `${now}.` : `${now}; in generation ${oldest.generation} it was ${slower(oldest)}.`;
  }

  line({ generation, first, median: usual }, place) {
    const [from, to] = [place(usual), place(first)];
    return h(
      "li",
      h("b.generation-text", `gen ${generation}`),
      h(
        "div.track",
        { role: "img", "aria-label": `first ${seconds(first)}, median ${seconds(usual)}` },
        h("i.line", { style: { left: `${Math.min(from, to)}%`, width: `${Math.abs(to - from)}%` } }),
        h("i.dot.latency-low", { "data-tip": `median ${seconds(usual)}`, style: { left: `${from}%` } }),
        h("i.dot.latency", { "data-tip": `first request ${seconds(first)}`, style: { left: `${to}%` } }),
      ),
      h("span.n", `${seconds(usual)} → ${seconds(first)}`),
      h("b.n", factor(first / usual)),
    );
  }
}
