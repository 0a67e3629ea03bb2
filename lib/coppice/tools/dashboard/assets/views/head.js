// The state of the server in one line of figures, and whether these are still true.

import { derived, fill, h, number } from "../dom.js";
import { act, addressOf } from "../connection.js";
import { age, clock, moment, plural, seconds } from "../format.js";
import { canRollBack, releaseName, rollSentence } from "../roll.js";
import { why } from "../why.js";

export class Head {
  constructor(features) {
    this.features = features;
    this.connection = h("p.connection", { role: "status" }, "connecting …");
    this.identity = h("div.identity");
    this.figures = h("dl.figures");
    this.sentence = h("p.sentence", { id: "why" });
    this.roll = h("p.roll", { id: "roll", role: "status" });
    this.element = h(
      "div.head",
      h("div.bar-top", h("h1", mark(), "Coppice"), this.identity, this.actions(), this.connection),
      this.roll,
      this.sentence,
      this.figures,
    );
  }

  draw(stats, past) {
    const { server } = stats;
    this.workers = server.workers;
    this.say("live", `live · ${clock(stats.time)}`);
    fill(
      this.identity,
      h(`span.state.${server.state}`, { "data-path": "server.state" }, server.state),
      h("span", "generation ", number(stats, "server.generation")),
      h("span", "up ", number(stats, "server.uptime", "age")),
      ...this.release(stats),
    );
    fill(this.roll, rollSentence(stats));
    this.roll.hidden = !stats.releases.roll;
    if (this.rollback) this.rollback.hidden = !canRollBack(stats);
    fill(
      this.figures,
      this.figure("requests", [derived(past.rate("requests", 10)?.at(-1), "compact"), h("small", "per second")]),
      this.figure("median", [this.recent(stats, past, 0.5), h("small", "last minute")]),
      this.figure("p99", [this.recent(stats, past, 0.99), h("small", "last minute")]),
      this.figure("busy", [
        number(stats, "server.utilization", "percent"),
        h("small", number(stats, "server.workers_busy"), " of ", number(stats, "server.workers_ready"), " now"),
      ]),
      this.figure(
        "waiting",
        [number(stats, "server.requests_waiting"), h("small", server.requests_waiting === 1 ? "client" : "clients")],
        server.requests_waiting > 0 ? "waiting" : "",
      ),
      this.figure("memory", [number(stats, "memory.pss", "bytes"), h("small", "but for monitor and lobby")]),
      this.figure("saved", [number(stats, "memory.saved", "bytes"), h("small", "by sharing")], "shared"),
    );
    fill(this.sentence, why(stats, past));
    this.sentence.classList.toggle("waits", server.requests_waiting > 0 || server.state !== "serving");
  }

  release({ server, releases: { running } }) {
    const directory = running?.directory ?? server.directory;
    return [
      running && h("span.release", { "data-tip": `since ${moment(running.since, Infinity)}` }, releaseName(running)),
      h("span.dir", { "data-tip": server.ruby }, directory),
    ];
  }

  lost(since, error) {
    const what = error.cause ?? "no connection";
    this.say("gone", `${what} since ${clock(since / 1000)} (${age((Date.now() - since) / 1000)})`);
  }

  say(state, words) {
    this.connection.className = `connection ${state}`;
    fill(this.connection, h("i"), words);
  }

  recent(stats, past, part) {
    const { le: bounds, count, p50, p99 } = stats.histograms.application_seconds;
    const last = past.length - 1;
    const value =
      last > 0
        ? past.quantileBetween(
            "application_seconds",
            bounds,
            Math.max(0, last - Math.round(60 / past.interval)),
            last,
            part,
          )
        : null;
    return derived(
      value,
      "seconds",
      `${plural(count, "request")} since the start: median ${seconds(p50)}, p99 ${seconds(p99)}`,
    );
  }

  figure(name, value, kind = "") {
    return h(kind ? `div.${kind}` : "div", { "data-figure": name }, h("dt", name), h("dd", value));
  }

  actions() {
    if (!this.features.has("refork")) return null;
    this.answer = h("output");
    this.rollback = confirmed("Roll back", "Give up the roll that is under way, or go back to the release before", () =>
      this.run("rollback"),
    );
    return h(
      "div.actions",
      confirmed("Refork", "Promote the warmest worker now, and replace all workers by its copies", () =>
        this.run("refork"),
      ),
      confirmed("Add a worker", "One worker more than there should be now", () =>
        this.run("workers", `?count=${this.workers + 1}`),
      ),
      confirmed("Remove a worker", "One worker less than there should be now", () =>
        this.run("workers", `?count=${Math.max(1, this.workers - 1)}`),
      ),
      confirmed("Roll", "Bring the release that lies in the server's directory now", () => this.run("roll")),
      this.rollback,
      this.answer,
    );
  }

  async run(verb, query = "") {
    const { ok, text } = await act(verb, query);
    this.answer.textContent = ok ? text || "ok" : `refused: ${text}`;
  }
}

// A button that asks once more before it acts.
export function confirmed(name, meaning, action) {
  const button = h("button", { type: "button", "data-tip": meaning, "data-key": name }, name);
  let sure = null;
  const reset = () => {
    clearTimeout(sure);
    sure = null;
    button.textContent = name;
    button.classList.remove("sure");
  };
  button.addEventListener("click", () => {
    if (sure) {
      reset();
      action();
    } else {
      button.textContent = `Really ${name.toLowerCase()}?`;
      button.classList.add("sure");
      sure = setTimeout(reset, 4000);
    }
  });
  button.addEventListener("blur", () => sure && reset());
  return button;
}

function mark() {
  return h("img.mark", { src: addressOf("assets/icon.svg"), alt: "", width: "22", height: "22" });
}
