// Lines over time, drawn by uPlot: one cursor for all charts, refork marks, and the exact values above the chart.

import { h } from "./dom.js";
import { clock } from "./format.js";

const uPlot = window.uPlot;
const sync = uPlot.sync("coppice");
const charts = new Set();
const NONE = () => [];
const BINARY = Array.from({ length: 40 }, (_, power) => 2 ** power);
const WHOLE = [1, 2, 5]
  .flatMap((digit) => Array.from({ length: 7 }, (_, power) => digit * 10 ** power))
  .sort((one, other) => one - other);

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// 0.0985: 0.09. From some other bounds uPlot 1.6 finds no end of the lines of a logarithmic scale.
const oneDigit = (value) => Number(value.toExponential(9).replace(/^(\d)[.\d]*/, "$1"));

function faded(name, percent) {
  return `color-mix(in srgb, ${colour(name)} ${percent}%, transparent)`;
}

// Charts read their colours when they draw, so another colour scheme only needs a redraw.
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach((chart) => chart.redraw()));

// series: [{ label, kind, unit, scale, fill, dash }]; scales: { name: { unit, side, min } }. label: for readers of the
// screen. bands: areas between two series, [{ between: [upper, lower], kind, percent }]. height in pixels.
export class Chart {
  constructor(parent, { series, scales, label, height = 200, marks = NONE, bands = [] }) {
    this.series = series;
    this.scales = scales;
    this.marks = marks;
    this.bands = bands;
    this.height = height;
    this.readout = h("p.readout", { "aria-live": "off" });
    this.box = h("div.chart", { tabindex: "0", role: "img", "aria-label": label, "data-chart": label });
    parent.append(this.readout, this.box);
    this.box.addEventListener("keydown", (event) => this.move(event));
    new ResizeObserver(() => this.resize()).observe(this.box);
    charts.add(this);
  }

  // columns: times, then the values of each series.
  draw(columns) {
    if (!this.plot) {
      if (!this.box.clientWidth || columns[0].length < 2) return;
      this.plot = new uPlot(this.options(), columns, this.box);
    } else {
      this.plot.setData(columns);
    }
    this.read();
  }

  redraw() {
    this.plot?.redraw(false, true);
  }

  resize() {
    const width = this.box.clientWidth;
    if (this.plot && width && width !== this.plot.width) this.plot.setSize({ width, height: this.height });
  }

  options() {
    return {
      width: this.box.clientWidth,
      height: this.height,
      padding: [this.marks === NONE ? 8 : 18, 4, 0, 4],
      legend: { show: false },
      focus: { prox: -1 },
      cursor: {
        sync: { key: sync.key, setSeries: false },
        drag: { x: true, y: false, setScale: true },
        points: { size: 7 },
      },
      scales: {
        x: { time: true },
        ...Object.fromEntries(Object.entries(this.scales).map(([name, scale]) => [name, this.scale(scale)])),
      },
      axes: [
        this.axis("x", {
          space: 70,
          values: (_plot, times, _axis, _space, step) => times.map((time) => clock(time).slice(0, step < 60 ? 8 : 5)),
          size: 26,
        }),
        ...Object.entries(this.scales).map(([name, scale], index) =>
          this.axis(name, {
            side: scale.side ?? 3,
            size: 62,
            space: 34,
            grid: index === 0,
            ...(scale.steps && { incrs: scale.steps === "binary" ? BINARY : WHOLE }),
            values: (_, values) => values.map((value) => (value === null ? "" : scale.unit(value))),
          }),
        ),
      ],
      series: [
        {},
        ...this.series.map((one) => ({
          label: one.label,
          scale: one.scale,
          width: one.width ?? 1.75,
          dash: one.dash,
          spanGaps: false,
          stroke: () => colour(one.kind),
          fill: one.fill ? () => faded(one.kind, one.fill) : null,
          points: { show: false },
        })),
      ],
      bands: this.bands.map(({ between, kind, percent }) => ({ series: between, fill: () => faded(kind, percent) })),
      hooks: { draw: [(plot) => this.drawMarks(plot)], setCursor: [() => this.read()] },
    };
  }

  scale({ log, least = 0 }) {
    if (log)
      return {
        distr: 3,
        log: 10,
        range: (_, low, high) => [oneDigit(Math.max((low ?? 1e-3) * 0.7, 1e-6)), Math.max((high ?? 1) * 1.4, 1e-5)],
      };
    return { range: (_, low, high) => [0, Math.max(high ?? 0, least) * 1.08 || 1] };
  }

  axis(scale, { grid = true, ...rest }) {
    return {
      scale,
      font: `11px ${getComputedStyle(document.body).fontFamily}`,
      gap: 6,
      stroke: () => colour("quiet"),
      grid: { show: grid && scale !== "x", stroke: () => colour("line"), width: 1 },
      ticks: { show: scale === "x", stroke: () => colour("line"), width: 1, size: 4 },
      ...rest,
    };
  }

  // A dashed vertical line for each new generation, a solid one where it began a release, with the number where there
  // is room: the newest come first.
  drawMarks(plot) {
    const { ctx, bbox } = plot;
    const ratio = devicePixelRatio;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = colour("generation");
    ctx.font = `600 ${11 * ratio}px ${getComputedStyle(document.body).fontFamily}`;
    ctx.textAlign = "left";
    ctx.lineWidth = ratio;
    let room = Infinity;
    for (const { time, generation, release } of this.marks().toReversed()) {
      ctx.setLineDash(release ? [] : [3 * ratio, 3 * ratio]);
      const x = Math.round(plot.valToPos(time, "x", true));
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      const text = release ? `release ${release}` : `gen ${generation}`;
      const { width } = ctx.measureText(text);
      const begin = Math.min(x - ratio, bbox.left + bbox.width - width);
      if (begin + width + 4 * ratio > room) continue;
      ctx.fillText(text, begin, bbox.top - 5 * ratio);
      room = begin;
    }
    ctx.restore();
  }

  // The values at the cursor, or the newest ones.
  read() {
    const { plot } = this;
    if (!plot) return;
    const at = plot.cursor.idx ?? plot.data[0].length - 1;
    const parts = this.series.map((one, index) => {
      const value = plot.data[index + 1][at];
      return h(
        "span",
        h(`i.${one.kind}${one.dash ? ".dashed" : ""}`),
        `${one.label} `,
        h("b.n", value == null ? "–" : one.unit(value)),
      );
    });
    this.readout.replaceChildren(
      h("time.n", plot.cursor.idx == null ? "now" : clock(plot.data[0][at])),
      ...parts,
    );
  }

  // The arrow keys move the cursor of all charts, Escape takes it away.
  move(event) {
    const { plot } = this;
    if (!plot) return;
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -30, PageDown: 30, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined && event.key !== "Escape") return;
    event.preventDefault();
    const last = plot.data[0].length - 1;
    const at = step === undefined ? null : Math.min(last, Math.max(0, (plot.cursor.idx ?? last) + step));
    const left = at === null ? -10 : plot.valToPos(plot.data[0][at], "x");
    plot.setCursor({ left, top: at === null ? -10 : 10 });
  }
}
