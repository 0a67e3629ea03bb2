// The requests in flight, oldest first.

import { card, derived, empty, fill, h, table } from "../dom.js";
import { plural, processName, requestLine, seconds } from "../format.js";
import { showStack } from "../stack.js";

const SHOWN = 12;

export class Requests {
  constructor(features) {
    Object.assign(
      this,
      card(
        "requests",
        "In flight",
        "Requests in flight",
        "What the workers do at this moment, oldest first, without queries",
      ),
    );
    this.stacks = features.has("backtrace");
  }

  draw(stats) {
    const busy = stats.processes
      .filter((process) => process.in_flight)
      .sort((one, other) => other.request_age - one.request_age);
    if (!busy.length) {
      fill(this.says, "No request is in flight.");
      fill(this.body, empty("Every worker waits for a client."));
      return;
    }
    const late = busy.filter((process) => process.overdue).length;
    fill(
      this.says,
      `${plural(busy.length, "request")}, the oldest for ${seconds(busy[0].request_age)}`,
      late ? h("b.bad", `; ${late} overdue`) : "",
      ".",
    );
    const longest = Math.max(busy[0].request_age, 0.001);
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
        showStack(
          busy.find((process) => String(process.slot) === button.dataset.slot) ?? {
            role: "worker",
            slot: button.dataset.slot,
            pid: "?",
          },
        );
    });
  }

  row(process, stats, longest) {
    const shown = derived(process.request_age, "seconds");
    shown.dataset.path = `processes.${stats.processes.indexOf(process)}.request_age`;
    const row = [
      h(
        "b",
        { "data-tip": `${processName(process)}, gen ${process.generation}, pid ${process.pid}` },
        String(process.slot),
      ),
      h("code", { "data-tip": requestLine(process) }, requestLine(process)),
      shown,
      h(
        "div.agebar",
        h(process.overdue ? "span.bad" : "span", { style: { width: `${(100 * process.request_age) / longest}%` } }),
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
