// p99 and throughput over the last hour, and in the minutes around each refork: a refork should cost neither.

import { Card, derived, empty, fill, h, table } from "../dom.js";
import { compact, factor, seconds } from "../format.js";
import { Chart } from "../charts.js";

const WINDOW = 60; // seconds before and after
const SHOWN = 4;
const perSecond = (value) => `${compact(value)}/s`;
// A span without a request has no p99.
const ratio = (from, to) => (from && to !== null ? to / from : null);

export class Latency extends Card {
  constructor() {
    super(
      "latency",
      "p99",
      "p99 and throughput around each refork",
      "p99: 1 % of the requests of 30 s took longer. Waiting in the queue is not part of it",
    );
    this.element.classList.add("wide");
    this.marks = [];
    this.chart = new Chart(this.body, {
      label: "p99, median and throughput over the last hour",
      height: 210,
      marks: () => this.marks,
      scales: { time: { unit: seconds, log: true }, rate: { unit: perSecond, side: 1 } },
      series: [
        { label: "throughput", kind: "busy", unit: perSecond, scale: "rate", fill: 14, width: 1.25 },
        { label: "p99", kind: "latency", unit: seconds, scale: "time" },
        { label: "median", kind: "latency-low", unit: seconds, scale: "time", width: 1.5 },
      ],
    });
    this.list = h("div");
    this.body.append(this.list);
  }

  draw(stats, past) {
    this.marks = past.marks(stats.releases.history);
    const bounds = stats.histograms.application_seconds.le;
    if (past.length < 2 || !past.column("application_seconds")) {
      fill(this.says, "Not enough history yet.");
      return;
    }
    this.chart.draw([
      past.column("time"),
      past.rate("requests", 10),
      past.quantiles("application_seconds", bounds, 0.99),
      past.quantiles("application_seconds", bounds, 0.5),
    ]);
    const around = this.marks
      .slice(-SHOWN)
      .reverse()
      .map((mark) => this.around(mark, past, bounds, stats))
      .filter(Boolean);
    fill(this.says, this.verdict(around));
    fill(this.list, around.length ? this.table(around) : empty("No refork in the last hour: the next one is compared here with the minutes around it."));
  }

  // A minute before, the rollout, a minute after.
  around(mark, past, bounds, stats) {
    const promotion = stats.promotions.find((one) => one.generation === mark.generation && one.outcome === "committed");
    const rollout = promotion?.phases.rollout ?? 10;
    const begin = past.indexAt(mark.time) - 1;
    const end = Math.max(begin + 1, past.indexAt(mark.time + rollout));
    const before = past.indexAt(mark.time - WINDOW);
    const after = past.indexAt(mark.time + rollout + WINDOW);
    if (before >= begin || after <= end) return null;
    const spans = { before: [before, begin], during: [begin, end], after: [end, after] };
    const p99 = {};
    const rate = {};
    for (const [name, [from, to]] of Object.entries(spans)) {
      p99[name] = past.quantileBetween("application_seconds", bounds, from, to, 0.99);
      rate[name] =
        (past.column("requests")[to] - past.column("requests")[from]) /
        (past.column("time")[to] - past.column("time")[from]);
    }
    return { generation: mark.generation, p99, rate };
  }

  verdict(around) {
    const last = around[0];
    if (!last || !last.p99.before) return "The hour's median, p99 and throughput; a dashed line is a new generation.";
    const took = `While generation ${last.generation} took over, `;
    const throughput = derived(ratio(last.rate.before, last.rate.during), "factor");
    if (last.p99.during === null) return [`${took}throughput was `, throughput, " that of the minute before."];
    const change = derived(ratio(last.p99.before, last.p99.during), "factor");
    return [`${took}p99 was `, change, " that of the minute before, and throughput ", throughput, "."];
  }

  table(around) {
    const change = (from, to) => h("small", ratio(from, to) === null ? "" : ` ${factor(ratio(from, to))}`);
    return table(
      [
        { title: "gen" },
        { title: "p99 before", kind: "right" },
        { title: "during", kind: "right" },
        { title: "after", kind: "right" },
        { title: "requests/s before", kind: "right phone-off" },
        { title: "during", kind: "right phone-off" },
        { title: "after", kind: "right phone-off" },
      ],
      around.map(({ generation, p99, rate }) => [
        h("b.generation-text", String(generation)),
        derived(p99.before, "seconds"),
        [derived(p99.during, "seconds"), change(p99.before, p99.during)],
        [derived(p99.after, "seconds"), change(p99.before, p99.after)],
        derived(rate.before, "compact"),
        [derived(rate.during, "compact"), change(rate.before, rate.during)],
        [derived(rate.after, "compact"), change(rate.before, rate.after)],
      ]),
      "p99 and throughput around reforks",
    );
  }
}
