// Every process, in the row of its generation: the newest above, the monitor below. A cell is a process; the details of
// the one that is pointed at or focused stand beside.

import { Card, fill, h, number, svg } from "../dom.js";
import { age, clock, count, originOf, plural, seconds } from "../format.js";
import { workersOf, workersToReplace } from "../numbers.js";
import { Cells } from "./family/cells.js";
import { Detail } from "./family/detail.js";

const ANCESTORS = 8;
const OF_THE_MONITOR = ["observer", "lobby"]; // what has no generation
const STATES = ["busy", "idle", "starting", "leaving", "stopped"];

export class Family extends Card {
  constructor(features) {
    super("family", "Processes", "Processes by generation", "Who was forked from whom, and what each does now");
    this.rows = new Map();
    this.tree = h("div.tree");
    this.lines = svg("svg.lines", { "aria-hidden": "true" });
    this.root = h("div.gen.root");
    this.ancestors = h("div.gen.ancestors");
    this.detail = new Detail(features);
    this.cells = new Cells((process) => this.select(process));
    this.tree.append(this.lines);
    this.body.append(h("div.family", h("div", this.tree, this.legend()), this.detail.element));
    this.cells.listen(this.tree);
  }

  draw(stats) {
    this.stats = stats;
    this.promotions = new Map(
      stats.promotions.filter((one) => one.outcome !== "abandoned").map((one) => [one.generation, one]),
    );
    this.began = releasesByGeneration(stats.releases.history);
    const grouped = this.grouped(stats);
    this.element.dataset.size = this.size(stats);
    this.cells.begin(this.element.dataset.size === "small");
    this.drawSentence(stats, grouped);
    const newest = [...grouped.keys()].sort((one, other) => other - one);
    for (const [generation, row] of this.rows) if (!grouped.has(generation)) this.remove(generation, row);
    newest.forEach((generation) => this.drawRow(generation, grouped.get(generation)));
    this.drawRoot(stats);
    this.drawAncestors(newest);
    this.place([...newest.map((generation) => this.rows.get(generation).element), this.ancestors, this.root]);
    this.cells.finish();
    this.select(this.cells.selected ?? this.cells.first());
    this.drawLines(stats);
  }

  grouped(stats) {
    const grouped = new Map();
    for (const process of stats.processes) {
      if (OF_THE_MONITOR.includes(process.role)) continue;
      if (!grouped.has(process.generation)) grouped.set(process.generation, []);
      grouped.get(process.generation).push(process);
    }
    return grouped;
  }

  size(stats) {
    const workers = workersOf(stats).length;
    return workers <= 24 ? "large" : workers <= 160 ? "medium" : "small";
  }

  drawSentence(stats, grouped) {
    const workers = workersOf(stats);
    const old = workersToReplace(stats);
    const rollout = old.length > 0 && grouped.size > 1;
    fill(
      this.says,
      rollout &&
        h("b", `A rollout is under way: ${plural(old.length, "worker")} of ${count(workers.length)} to replace. `),
      number(stats, "server.workers_ready"),
      " workers ready, ",
      number(stats, "server.workers"),
      ` wanted${this.bounds(stats.server)}: ${this.states(workers)}.`,
    );
  }

  /* Where the number follows the load. */
  bounds({ workers_least: least, workers_most: most }) {
    return most > least ? ` of ${count(least)} to ${count(most)}` : "";
  }

  states(workers) {
    const counts = new Map();
    for (const { state } of workers) counts.set(state, (counts.get(state) ?? 0) + 1);
    return STATES.filter((state) => counts.has(state))
      .map((state) => `${count(counts.get(state))} ${state}`)
      .join(", ");
  }

  drawRow(generation, processes) {
    if (!this.rows.has(generation)) {
      const row = {
        label: h("div.who"),
        molds: h("div.molds"),
        cells: h("div.cells", { role: "group", "aria-label": `workers of generation ${generation}` }),
      };
      row.element = h(
        "div.gen",
        { "data-generation": generation },
        h("div.spine", h("i.node")),
        row.label,
        row.molds,
        row.cells,
      );
      this.rows.set(generation, row);
    }
    const row = this.rows.get(generation);
    const newest = generation === this.stats.server.generation;
    row.element.classList.toggle("current", newest);
    this.drawLabel(row.label, generation, processes);
    const molds = processes.filter((process) => process.role === "mold");
    const forked = processes.filter((process) => process.role !== "mold");
    this.cells.draw(row.molds, molds);
    this.cells.draw(
      row.cells,
      forked.sort((one, other) => (one.slot ?? Infinity) - (other.slot ?? Infinity) || one.pid - other.pid),
    );
    row.element.classList.toggle("forks", molds.length > 0 && forked.length > 0);
  }

  drawLabel(label, generation, processes) {
    const mold = processes.find((process) => process.role === "mold");
    const promotion = this.promotions.get(generation);
    const workers = processes.filter((process) => process.role === "worker").length;
    fill(
      label,
      h("b", `gen ${generation}`),
      this.began.size > 1 ? this.release(processes) : null,
      h("span", plural(workers, "worker")),
      promotion
        ? h("span", { "data-tip": `promotion started at ${clock(promotion.time)}` }, originOf(promotion))
        : generation === 0
          ? h("span", "booted")
          : null,
      mold ? h("span", `${age(mold.age)} old`) : h("span", "no mold any more"),
    );
  }

  release(processes) {
    const { release } = processes.find((process) => process.release) ?? {};
    const other = release && release !== this.stats.releases.running?.number;
    return release ? h(other ? "span.release.other" : "span.release", `release ${release}`) : null;
  }

  drawRoot(stats) {
    if (!this.rootCells) {
      this.rootCells = h("div.molds");
      this.rootLabel = h("div.who");
      this.root.append(h("div.spine", h("i.node")), this.rootLabel, this.rootCells);
    }
    fill(
      this.rootLabel,
      h("b", "monitor"),
      h("span", "pid ", h("span", { "data-path": "server.pid", class: "plain" }, stats.server.pid)),
    );
    this.cells.draw(
      this.rootCells,
      stats.processes.filter((process) => OF_THE_MONITOR.includes(process.role)),
    );
  }

  // Generations without a living process.
  drawAncestors(living) {
    const gone = [...this.promotions.values()].filter(
      (one) => !living.includes(one.generation) && one.generation < Math.max(...living, 0),
    );
    this.ancestors.hidden = gone.length === 0;
    const chips = gone.slice(0, ANCESTORS).map((one) => this.ancestor(one));
    const more = gone.length - chips.length;
    fill(
      this.ancestors,
      h("div.spine", h("i.node")),
      h("div.who", h("b", "before"), h("span", plural(gone.length, "generation"))),
      h("ul.chips", chips, more > 0 ? h("li", `← ${count(more)} more`) : null),
    );
  }

  ancestor(promotion) {
    const { generation, time, median_seconds: median, first_request_seconds: first } = promotion;
    const tip = `${originOf(promotion)} at ${clock(time)}; first request ${seconds(first)}, median ${seconds(median)}`;
    const words = ` ${clock(time).slice(0, 5)} ${originOf(promotion)}`;
    const release = this.began.size > 1 && this.began.get(generation);
    const chip = h(
      "span.chip",
      { "data-tip": tip },
      h("b", `gen ${generation}`),
      release ? h("span.release", ` release ${release}`) : null,
      words,
    );
    return h("li", h("span", { "aria-hidden": "true" }, "← "), chip);
  }

  place(elements) {
    const now = [...this.tree.children].filter((child) => child !== this.lines);
    if (now.length === elements.length && now.every((child, index) => child === elements[index])) return;
    this.tree.append(...elements);
  }

  remove(generation, row) {
    row.element.remove();
    this.rows.delete(generation);
  }

  select(process) {
    if (process && this.stats) this.detail.draw(process, this.stats);
  }

  // From the worker that was promoted to the mold that its copy has become, while both live.
  drawLines(stats) {
    const frame = this.tree.getBoundingClientRect();
    const paths = stats.processes
      .filter((process) => process.role === "mold")
      .flatMap((mold) => {
        const from = this.cells.box(mold.parent_pid);
        const to = this.cells.box(mold.pid);
        if (!from || !to) return [];
        const [x1, y1] = [from.left + from.width / 2 - frame.left, from.top - frame.top + 1];
        const [x2, y2] = [to.left + to.width / 2 - frame.left, to.bottom - frame.top];
        const middle = (y1 + y2) / 2;
        return [
          svg("path", { d: `M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}` }),
          svg("circle", { cx: x2, cy: y2, r: 3 }),
        ];
      });
    this.lines.replaceChildren(...paths);
  }

  legend() {
    const states = [
      ["busy", "busy: serves a request"],
      ["idle", "idle"],
      ["starting", "starting"],
      ["leaving", "leaving"],
      ["stopped", "stopped: by a signal"],
      ["overdue", "overdue"],
      ["mold", "mold"],
    ];
    return h(
      "ul.legend.cells-legend",
      states.map(([state, text]) => h("li", h(`i.cell.${state}`), text)),
      h("li", h("i.private"), "part of its memory that is private"),
    );
  }
}

// The numbers of the releases by the generations with which they began.
function releasesByGeneration(history) {
  const committed = history.filter((one) => one.outcome === "committed");
  return new Map(committed.reverse().map((one) => [one.generation, one.number]));
}
