// The memory of one worker, page by page, as a picture that the server draws on demand.

import { addressOf } from "../connection.js";
import { Card, empty, fill, h } from "../dom.js";
import { plural } from "../format.js";
import { workersOf } from "../numbers.js";

export class PageMap extends Card {
  constructor(features) {
    super(
      "page-map",
      "Page map",
      "Page map of a worker",
      "Each cell is a page of memory: orange is private, blue is shared with other processes",
    );
    this.offered = features.has("page-map");
    this.choice = h("select", { "aria-label": "worker", "data-key": "page-map-slot" });
    this.button = h("button", { type: "button", onclick: () => this.load() }, "Draw");
    this.frame = h(
      "div.picture",
      { tabindex: "0", role: "region", "aria-label": "page map" },
      empty(
        "Not drawn yet. Drawing reads every page of the worker's memory, which takes some milliseconds per 100 MiB.",
      ),
    );
    if (this.offered) this.body.append(h("div.actions", h("label", "worker ", this.choice), this.button), this.frame);
    document.addEventListener("page-map", (event) => {
      this.choice.value = String(event.detail);
      this.load();
    });
  }

  draw(stats) {
    if (!this.offered) {
      fill(this.says, "Not available here.");
      fill(this.body, empty("This server offers no page maps. `coppice memory --map map.svg` draws one."));
      return;
    }
    const slots = workersOf(stats).map((process) => process.slot);
    const key = slots.join();
    if (key !== this.key) {
      this.key = key;
      const chosen = this.choice.value;
      this.choice.replaceChildren(...slots.map((slot) => h("option", { value: slot }, String(slot))));
      if (slots.map(String).includes(chosen)) this.choice.value = chosen;
    }
    if (!this.shown) fill(this.says, `${plural(slots.length, "worker")} to choose from.`);
  }

  load() {
    const slot = this.choice.value;
    const picture = h("img", {
      alt: `memory of worker ${slot}, page by page`,
      src: addressOf(`page-map.svg?slot=${slot}&at=${Date.now()}`),
    });
    this.shown = true;
    fill(this.says, `Worker ${slot} is being read …`);
    picture.addEventListener("load", () => {
      this.frame.replaceChildren(picture);
      fill(
        this.says,
        `Worker ${slot} at ${new Date().toLocaleTimeString("en-GB")}: orange pages are its own, blue ones are shared.`,
      );
    });
    picture.addEventListener("error", () => {
      this.frame.replaceChildren(
        empty(`There is no picture of worker ${slot}: it has exited, or this user may not read its pages.`),
      );
      fill(this.says, "The picture could not be drawn.");
    });
  }
}
