// Processes that have exited, with the cause and what they were doing.

import { Card, derived, empty, fill, h, number, table } from "../dom.js";
import { clock, plural, processName, requestLine } from "../format.js";
import { sum } from "../numbers.js";

const SHOWN = 10;
const ROUTINE = new Set(["asked", "shutdown", "client_gone"]);
const MEANINGS = {
  asked: "told to: a rollout, recycling, fewer workers",
  exited_by_itself: "exited by itself with status 0",
  failed: "exited by itself with another status",
  signal: "killed by a signal that the server did not send",
  timeout: "exited after its request's timeout",
  out_of_memory: "killed by the kernel: the cgroup was out of memory",
  vanished: "gone without a status",
  never_forked: "its fork never came",
  request_timeout: "killed: its request was past the hard deadline",
  spawn_timeout: "killed: was not ready in time",
  stop_timeout: "killed: did not stop in time",
  unresponsive: "killed: stood still outside of a request",
  spoilt_ring: "killed: wrote an answer that makes no sense",
  lost_seat: "killed: the lobby had no file descriptor left for it",
  client_gone: "its coppice run has ended",
  guest_timeout: "ran for longer than a guest may",
  shutdown: "the server stops",
};

export class Exits extends Card {
  constructor() {
    super(
      "exits",
      "Exits",
      "Exits and their causes",
      "Exits that nobody asked for, with the request that was in flight",
    );
  }

  draw(stats) {
    const causes = Object.entries(stats.exits)
      .flatMap(([role, counts]) => Object.entries(counts).map(([cause, count]) => ({ role, cause, count })))
      .filter(({ count }) => count > 0);
    const total = sum(causes.filter(({ cause }) => !ROUTINE.has(cause)).map(({ count }) => count));
    const last = stats.recent_exits.find((one) => !ROUTINE.has(one.cause));
    fill(
      this.says,
      total
        ? `${plural(total, "exit")} that nobody asked for${last ? `, the last at ${clock(last.time)}` : ""}.`
        : "No process has exited that was not told to.",
    );
    fill(
      this.body,
      causes.length
        ? h(
            "ul.chips",
            causes.map(({ role, cause }) =>
              h(
                `li${ROUTINE.has(cause) ? "" : ".bad"}`,
                { "data-tip": MEANINGS[cause] ?? cause },
                `${role} ${cause.replaceAll("_", " ")} `,
                number(stats, `exits.${role}.${cause}`),
              ),
            ),
          )
        : null,
      last ? this.table(stats) : empty("The last exits were all asked for: rollouts, recycling, fewer workers."),
    );
  }

  table(stats) {
    const unasked = stats.recent_exits
      .map((one, index) => ({ one, index }))
      .filter(({ one }) => !ROUTINE.has(one.cause));
    const columns = [
      { title: "time" },
      { title: "process" },
      { title: "cause" },
      { title: "request in flight", kind: "grow cut" },
      { title: "served", kind: "right phone-off" },
      { title: "age", kind: "right phone-off" },
      { title: "peak", kind: "right", tip: "largest resident size" },
    ];
    return table(
      columns,
      unasked.slice(0, SHOWN).map(({ one, index }) => {
        const path = `recent_exits.${index}`;
        return [
          h("span.n", clock(one.time)),
          h("span", { "data-tip": `pid ${one.pid}, gen ${one.generation}` }, processName(one)),
          h(
            "span.cause.bad",
            { "data-tip": MEANINGS[one.cause] ?? one.cause },
            one.cause.replaceAll("_", " "),
            one.signal ? ` ${one.signal}` : "",
          ),
          one.request
            ? h(
                "span",
                h("code", { "data-tip": requestLine(one) }, requestLine(one)),
                h("small", " for ", derived(one.request_age, "seconds")),
              )
            : h("small", "none"),
          number(stats, `${path}.requests`),
          number(stats, `${path}.age`, "age"),
          number(stats, `${path}.peak_memory`, "bytes"),
        ];
      }),
      "recent exits",
    );
  }
}
