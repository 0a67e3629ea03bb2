// How much memory is left, and whether the server grows from generation to generation.

import { Card, bar, derived, facts, fill, h, legend, number } from "../dom.js";
import { age, bytes, percent } from "../format.js";
import { slope } from "../numbers.js";

const WINDOW = 300; // seconds of which the lowest point counts
const LEAST_HISTORY = 1200;
const NOISE = 0.01; // of the memory in use, an hour

export class Headroom extends Card {
  constructor() {
    super(
      "headroom",
      "Headroom",
      "Headroom and leak slope",
      "What the cgroup or the machine has left, and how fast the lowest points of memory in use rise",
    );
  }

  draw(stats, past) {
    const { memory } = stats;
    const leak = this.leak(past);
    const left = memory.total ? memory.available / memory.total : null;
    fill(
      this.says,
      left === null || memory.available === null
        ? "How much memory is left is not known here."
        : [
            number(stats, "memory.available", "bytes"),
            ` are left, ${percent(left)} of the limit. `,
            this.verdict(leak, memory),
          ],
    );
    this.says.classList.toggle("bad", left !== null && left < 0.1);
    const others = Math.max(0, (memory.total ?? 0) - (memory.available ?? 0) - memory.pss);
    fill(
      this.body,
      memory.total
        ? [
            bar(
              [
                {
                  kind: "shared",
                  value: memory.pss - memory.private,
                  tip: `this server, shared: ${bytes(memory.pss - memory.private)}`,
                },
                { kind: "private", value: memory.private, tip: `this server, private: ${bytes(memory.private)}` },
                { kind: "others", value: others, tip: `others: ${bytes(others)}` },
              ],
              memory.total,
              "memory in use",
            ),
            legend(["shared", "shared"], ["private", "private"], ["others", "others"], ["free", "free"]),
          ]
        : null,
      facts([
        ["limit", number(stats, "memory.total", "bytes")],
        [
          "in use here",
          [
            number(stats, "memory.pss", "bytes"),
            h("small", ` ${percent(memory.total ? memory.pss / memory.total : null)}`),
          ],
        ],
        [
          "leak slope",
          leak === null
            ? h("small", "20 minutes of history are needed")
            : [derived(leak * 3600, "bytes"), h("small", " an hour")],
        ],
      ]),
    );
  }

  // Reforks make memory rise and fall; a leak is what raises the lowest points.
  leak(past) {
    const times = past.column("time");
    const used = past.column("pss");
    if (!times || times.length < 2 || times.at(-1) - times[0] < LEAST_HISTORY) return null;
    const lowest = new Map();
    times.forEach((time, index) => {
      const window = Math.floor((times.at(-1) - time) / WINDOW);
      const known = lowest.get(window);
      if (used[index] && (!known || used[index] < known[1])) lowest.set(window, [time, used[index]]);
    });
    return slope([...lowest.values()]);
  }

  verdict(leak, memory) {
    if (leak === null) return "";
    if (leak * 3600 < memory.pss * NOISE) return "Memory does not grow.";
    return `At ${bytes(leak * 3600)} an hour it lasts ${age(memory.available / leak)}.`;
  }
}
