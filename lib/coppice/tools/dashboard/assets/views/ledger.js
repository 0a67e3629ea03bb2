// What refork_after :auto weighs: the memory that a refork would win, and the work that it costs.

import { Card, bar, empty, facts, fill, h, number } from "../dom.js";
import { age, bytes, compact, percent } from "../format.js";

export class Ledger extends Card {
  constructor() {
    super(
      "ledger",
      "Next refork",
      "When the next refork pays",
      "The ledger of refork_after :auto: it reforks once the gain exceeds the cost",
    );
  }

  draw(stats, past) {
    const { ledger } = stats;
    if (!ledger) {
      fill(this.says, "Reforks follow a fixed rule.");
      fill(this.body, empty("With refork_after :auto, what a refork would save is weighed here against its cost."));
      return;
    }
    const price = ledger.cost_requests * ledger.headroom;
    const part = price > 0 ? ledger.gain_requests / price : 0;
    fill(this.says, this.verdict(ledger, past));
    fill(
      this.body,
      h(
        "div.gauge",
        h("div.gauge-figure", h("b", percent(Math.min(part, 9.99))), h("small", "of the price is earned")),
        bar(
          [
            {
              kind: "generation",
              value: Math.min(part, 1),
              tip: `gain ${compact(ledger.gain_requests)} of ${compact(price)} requests`,
            },
          ],
          1,
          `${percent(part)} earned`,
        ),
      ),
      facts([
        ["gain", [number(stats, "ledger.gain_requests", "compact"), h("small", " requests' worth of memory")]],
        ["cost", [number(stats, "ledger.cost_requests", "compact"), h("small", " requests' worth of CPU")]],
        [
          "wasted now",
          [
            number(stats, "ledger.waste", "bytes"),
            h(
              "small",
              ` ${percent(ledger.total ? ledger.waste / ledger.total : null)} of `,
              number(stats, "ledger.total", "bytes"),
            ),
          ],
        ],
        ["next mold", [number(stats, "ledger.rebuilt", "bytes"), h("small", " that it holds in addition")]],
        ["growth", [number(stats, "ledger.growth_per_request", "bytes"), h("small", " a request")]],
        ["served", [number(stats, "ledger.served", "compact"), h("small", " by this generation")]],
        [
          "headroom factor",
          [
            number(stats, "ledger.headroom", "factor"),
            h("small", ledger.headroom < 0.5 ? " memory is short" : " memory is plentiful"),
          ],
        ],
      ]),
    );
  }

  verdict(ledger, past) {
    if (ledger.resting_for > 0) return `A refork was made just now: the next is weighed in ${age(ledger.resting_for)}.`;
    const { due_in_requests: due } = ledger;
    const wasted = `${bytes(ledger.waste)} are wasted`;
    if (due == null) return `${wasted}: at this growth no refork pays.`;
    if (due === 0) return `${wasted}: a refork pays now.`;
    if (ledger.gain_requests >= ledger.cost_requests * ledger.headroom) {
      return `${wasted}: the price is earned, and a refork waits until the saving is large enough to be sure of.`;
    }
    const rate = past.rate("requests", 60)?.at(-1);
    const time = rate > 0 ? `, in about ${age(due / rate)}` : "";
    return `${wasted}; the next refork pays after ${compact(due)} more requests${time}.`;
  }
}
