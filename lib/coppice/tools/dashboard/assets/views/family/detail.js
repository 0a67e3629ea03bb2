// One process in full: lineage, memory, work, and what can be asked of it.

import { bar, derived, fill, h, numberOf } from "../../dom.js";
import { act } from "../../connection.js";
import { age, bytes, identityOf, percent, processName, requestLine, workAge, workNote } from "../../format.js";
import { confirmed } from "../head.js";
import { showStack } from "../../stack.js";

export class Detail {
  constructor(features) {
    this.features = features;
    this.facts = h("div");
    this.buttons = h("div.actions");
    this.answer = h("output");
    this.element = h("aside.detail", { "aria-label": "The chosen process" }, this.facts, this.buttons, this.answer);
  }

  draw(process, stats) {
    fill(
      this.facts,
      h("h3", processName(process), h("span", ` gen ${process.generation ?? "–"}${this.release(process)}`)),
      h("p.doing", this.doing(process)),
      bar(
        [
          { kind: "private", value: process.private, tip: `private: ${bytes(process.private)}` },
          {
            kind: "shared",
            value: process.rss - process.private,
            tip: `shared: ${bytes(process.rss - process.private)}`,
          },
        ],
        process.rss,
        `${bytes(process.private)} of ${bytes(process.rss)} is private`,
      ),
      h(
        "dl",
        this.entries(process, stats).map(([name, value]) => [h("dt", name), h("dd", value)]),
      ),
    );
    if (this.offered !== identityOf(process)) this.offer(process);
  }

  release({ release }) {
    return release ? `, release ${release}` : "";
  }

  doing(process) {
    const place = process.overdue ? "overdue" : process.state;
    if (!process.request) return [h(`span.dot.${place}`), place];
    return [
      h(`span.dot.${place}`),
      h("code", requestLine(process)),
      `${workNote(process)}${workAge(process) < 1 ? "< 1 s" : age(workAge(process))}`,
    ];
  }

  entries(process, stats) {
    const value = (name, unit) => numberOf(stats, process, name, unit);
    const parent = stats.processes.find((other) => other.pid === process.parent_pid);
    const worker = process.role === "worker";
    return [
      ["pid", value("pid", "plain")],
      [
        "forked from",
        [
          parent
            ? `${processName(parent)}, gen ${parent.generation ?? "–"}`
            : process.parent_pid === stats.server.pid
              ? "monitor"
              : "a process that is gone",
          h("small", ` pid ${process.parent_pid ?? "–"}`),
        ],
      ],
      ["age", value("age", "age")],
      worker && ["requests", value("requests")],
      ["private", value("private", "bytes")],
      process.private_at_start > 0 && [
        "since its fork",
        [
          derived(Math.abs(process.private - process.private_at_start), "bytes"),
          h("small", process.private < process.private_at_start ? " less" : " more"),
        ],
      ],
      [
        "resident",
        [
          value("rss", "bytes"),
          h("small", ` ${percent(process.rss ? 1 - process.private / process.rss : null)} shared`),
        ],
      ],
      ["CPU time", value("cpu_seconds", "seconds")],
      worker && ["first request", value("first_request_seconds", "seconds")],
      worker && ["median", value("median_seconds", "seconds")],
      ["may be promoted", worker ? (process.fork_safe ? "yes" : "no: not fork-safe") : "–"],
      ["measured", process.measured_age == null ? "never" : `${age(process.measured_age)} ago`],
    ].filter(Boolean);
  }

  offer(process) {
    this.offered = identityOf(process);
    this.answer.textContent = "";
    const buttons =
      process.role === "worker"
        ? [
            this.features.has("backtrace") &&
              h(
                "button",
                {
                  type: "button",
                  "data-tip": "Where its Ruby code is at this moment",
                  onclick: () => showStack(process),
                },
                "Stack",
              ),
            this.features.has("page-map") &&
              h(
                "button",
                { type: "button", "data-tip": "Draw its memory page by page", onclick: () => this.map(process) },
                "Page map",
              ),
            this.features.has("recycle") &&
              confirmed("Recycle", "Replace this worker by a fresh fork of its mold", () => this.recycle(process)),
          ].filter(Boolean)
        : [];
    this.buttons.replaceChildren(...buttons);
  }

  map(process) {
    document.dispatchEvent(new CustomEvent("page-map", { detail: process.slot }));
    document.getElementById("page-map").scrollIntoView();
  }

  async recycle(process) {
    const { ok, text: answer } = await act("recycle", `?slot=${process.slot}`);
    this.answer.textContent = ok ? answer || "ok" : `refused: ${answer}`;
  }
}
