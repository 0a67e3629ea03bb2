// Shared and private memory over the last hour, with a mark for each refork.

import { Card, derived, fill, h, number } from "../dom.js";
import { bytes, plural } from "../format.js";
import { Chart } from "../charts.js";

export class Memory extends Card {
  constructor() {
    super(
      "memory",
      "Memory",
      "Memory, shared and private",
      "PSS counts each shared page once; private pages belong to one process alone",
    );
    this.element.classList.add("wide");
    this.marks = [];
    this.chart = new Chart(this.body, {
      label: "memory over the last hour",
      height: 230,
      marks: () => this.marks,
      bands: [{ between: [1, 2], kind: "shared", percent: 7 }],
      scales: { bytes: { unit: bytes, steps: "binary" } },
      series: [
        { label: "without sharing", kind: "quiet", unit: bytes, scale: "bytes", dash: [4, 4], width: 1.25 },
        { label: "in use", kind: "shared", unit: bytes, scale: "bytes", fill: 30 },
        { label: "private", kind: "private", unit: bytes, scale: "bytes", fill: 38 },
      ],
    });
    this.note = h("p.note");
    this.body.append(this.note);
  }

  draw(stats, past) {
    this.marks = past.marks(stats.releases.history);
    fill(
      this.says,
      number(stats, "memory.saved", "bytes"),
      " saved: ",
      number(stats, "memory.pss", "bytes"),
      " in use, ",
      number(stats, "memory.rss", "bytes"),
      " without sharing.",
    );
    fill(
      this.note,
      number(stats, "memory.private", "bytes"),
      " is private to one process each. ",
      this.lastRefork(stats),
      " Measured ",
      number(stats, "memory.measured_age", "age"),
      " ago.",
    );
    if (past.length > 1)
      this.chart.draw([
        past.column("time"),
        ...["rss", "pss", "private"].map((name) => past.column(name).map((value) => value || null)),
      ]);
  }

  lastRefork(stats) {
    const index = stats.promotions.findIndex(
      (one) => one.outcome === "committed" && one.refork && one.private_after !== null,
    );
    if (index < 0) return "No refork has been measured yet.";
    const one = stats.promotions[index];
    return [
      "The last refork freed ",
      derived(one.private_before - one.private_after, "bytes"),
      ` of it: from ${bytes(one.private_before)} to ${bytes(one.private_after)} in ${plural(one.workers, "worker")}.`,
    ];
  }
}
