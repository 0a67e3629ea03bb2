// How busy the workers are, and whether clients wait for one.

import { Card, bar, derived, fill, h, number, table } from "../dom.js";
import { compact, count, percent } from "../format.js";
import { sum } from "../numbers.js";
import { Chart } from "../charts.js";
import { why } from "../why.js";

// Causes of what the lobby has answered to requests that a worker had taken.
const TAKEN = ["worker_lost", "timeout"];

export class Utilization extends Card {
  constructor() {
    super(
      "utilization",
      "Queue",
      "Why are clients waiting?",
      "Workers ready and busy, and the requests that no worker has taken yet, in the kernel's queues and the lobby",
    );
    this.marks = [];
    this.chart = new Chart(this.body, {
      label: "busy workers and waiting clients over the last hour",
      height: 190,
      marks: () => this.marks,
      scales: {
        workers: { unit: compact, least: 1, steps: "whole" },
        clients: { unit: compact, side: 1, least: 4, steps: "whole" },
      },
      series: [
        { label: "ready", kind: "quiet", unit: count, scale: "workers", width: 1.25, dash: [4, 4] },
        { label: "busy", kind: "busy", unit: count, scale: "workers", fill: 22 },
        { label: "waiting", kind: "waiting", unit: count, scale: "clients", fill: 30 },
      ],
    });
    this.list = h("div");
    this.body.append(this.list);
  }

  draw(stats, past) {
    this.marks = past.marks(stats.releases.history);
    fill(this.says, why(stats, past));
    this.says.classList.toggle("waits", stats.server.requests_waiting > 0);
    if (past.length > 1)
      this.chart.draw([
        past.column("time"),
        past.column("workers_ready"),
        past.column("workers_busy"),
        past.column("requests_waiting"),
      ]);
    fill(
      this.list,
      table(
        [
          { title: "listener", kind: "cut grow" },
          { title: "in its queue", kind: "right" },
          { title: "backlog", kind: "right" },
          { title: "", kind: "agebar phone-off" },
        ],
        stats.server.listeners.map((listener, index) => [
          h("code", listener.name),
          number(stats, `server.listeners.${index}.queue`),
          number(stats, `server.listeners.${index}.backlog`),
          bar(
            [
              {
                kind: "waiting",
                value: listener.queue ?? 0,
                tip: `${count(listener.queue)} of ${count(listener.backlog)}`,
              },
            ],
            listener.backlog || 1,
            percent((listener.queue ?? 0) / (listener.backlog || 1)),
          ),
        ]),
        "listeners",
      ),
      h(
        "p.note",
        stats.histograms.queue_seconds.count > 0
          ? [
              "Clients waited ",
              number(stats, "histograms.queue_seconds.p50", "seconds"),
              " in the median and ",
              number(stats, "histograms.queue_seconds.p99", "seconds"),
              " at p99; ",
            ]
          : null,
        number(stats, "totals.timeouts"),
        " requests timed out, ",
        derived(this.refused(stats)),
        " were refused.",
      ),
    );
  }

  // By workers and by the lobby.
  refused({ totals, lobby }) {
    const refusals = (lobby?.refused ?? []).filter(({ cause }) => !TAKEN.includes(cause));
    return totals.refused === null ? null : sum([totals.refused, ...refusals.map((one) => one.count)]);
  }
}
