// The requests in flight, oldest first.

import { Card, empty, fill, h, numberOf, table } from "../dom.js";
import { ageKey, plural, processName, requestLine, seconds, workAge } from "../format.js";
import { showStack } from "../stack.js";

const SHOWN = 12;

export class Requests extends Card {
  constructor(features) {
    super(
      "requests",
      "In flight",
      "Requests in flight",
      "What the workers do at this moment, oldest first, without queries",
    );
    this.stacks = features.has("backtrace");
  }

  draw(stats) {
    const busy = stats.processes
      .filter((process) => process.in_flight)
      .sort((one, other) => workAge(other) - workAge(one));
    if (!busy.length) {
      fill(this.says, "No request is in flight.");
      fill(this.body, empty("Each request that a worker serves will be here, with its stack."));
      return;
    }
    const late = busy.filter((process) => process.overdue).length;
    fill(
      this.says,
      this.summary(busy),
      late ? h("b.bad", `; ${late} overdue`) : "",
      ".",
    );
    const longest = Math.max(workAge(busy[0]), 0.001);
    const columns = [
      { title: "worker" },
      { title: "request", kind: "grow cut" },
      { title: "age", kind: "right" },
      { title: "", kind: "agebar phone-off" },
    ];
    if (this.stacks) columns.push({ title: "stack", kind: "right" });
    fill(
      this.body,
      table(
        columns,
        busy.slice(0, SHOWN).map((process) => this.row(process, stats, longest)),
        "requests in flight",
      ),
      busy.length > SHOWN ? h("p.note", `and ${plural(busy.length - SHOWN, "younger request")}.`) : null,
    );
    this.body.querySelectorAll("button[data-slot]").forEach((button) => {
      button.onclick = () =>
        showStack(busy.find((process) => String(process.slot) === button.dataset.slot));
    });
  }

  // A client that has its answer does not wait for the work after it.
  summary(busy) {
    const unanswered = busy.filter((process) => process.answered_age == null);
    const oldest = unanswered.length ? `, the oldest for ${seconds(workAge(unanswered[0]))}` : "";
    const others = busy.length - unanswered.length;
    return `${plural(unanswered.length, "request")}${oldest}${others ? `; ${others} with work after the response` : ""}`;
  }

  row(process, stats, longest) {
    const shown = numberOf(stats, process, ageKey(process), "seconds");
    const row = [
      h(
        "b",
        { "data-tip": `${processName(process)}, gen ${process.generation}, pid ${process.pid}` },
        String(process.slot),
      ),
      h("code", { "data-tip": requestLine(process) }, requestLine(process)),
      process.answered_age == null ? shown : ["after response ", shown],
      h(
        "div.agebar",
        h(process.overdue ? "span.bad" : "span", { style: { width: `${(100 * workAge(process)) / longest}%` } }),
      ),
    ];
    if (this.stacks)
      row.push(
        h(
          "button.small",
          {
            type: "button",
            "data-slot": process.slot,
            "data-key": `stack-${process.slot}`,
            "aria-label": `stack of worker ${process.slot}`,
          },
          "stack",
        ),
      );
    return row;
  }
}
