// Elements from data. Text only ever becomes a text node, so that no request can bring markup into the page.

import { UNITS } from "./format.js";

const SVG = "http://www.w3.org/2000/svg";

// h("p.note", { title: "…" }, "text", child): an element with its classes, attributes, listeners and children.
export function h(name, ...rest) {
  return build((tag) => document.createElement(tag), name, rest);
}

export function svg(name, ...rest) {
  return build((tag) => document.createElementNS(SVG, tag), name, rest);
}

function build(create, name, rest) {
  const [tag, ...classes] = name.split(".");
  const element = create(tag);
  if (classes.length) element.setAttribute("class", classes.join(" "));
  const attributes = isAttributes(rest[0]) ? rest.shift() : {};
  for (const [key, value] of Object.entries(attributes)) set(element, key, value);
  element.append(...shown(rest));
  return element;
}

const absent = (value) => value == null || value === false;
const shown = (children) => children.flat(3).filter((child) => !absent(child));
const isAttributes = (value) => value && typeof value === "object" && !(value instanceof Node) && !Array.isArray(value);

function set(element, key, value) {
  if (absent(value)) return;
  if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
  else if (key === "style") for (const [name, one] of Object.entries(value)) element.style.setProperty(name, one);
  else element.setAttribute(key, value === true ? "" : value);
}

// Replaces the children, unless nothing has changed: a selection, a focus and a scroll position stay.
export function fill(element, ...children) {
  const next = document.createElement("div");
  next.append(...shown(children));
  if (element.dataset.drawn === "" && same(element, next)) return;
  const focus = focusPath(element);
  element.replaceChildren(...next.childNodes);
  element.dataset.drawn = "";
  if (focus) element.querySelector(`[data-key="${CSS.escape(focus)}"]`)?.focus({ preventScroll: true });
}

const same = (one, other) => one.innerHTML === other.innerHTML;

function focusPath(element) {
  const active = document.activeElement;
  return element.contains(active) ? active.dataset.key : null;
}

// A number of the statistics: it carries its path in stats.json, so that each can be checked against its source.
//   number(stats, "memory.saved", "bytes")
export function number(stats, path, unit = "count") {
  const value = path.split(".").reduce((inner, key) => inner?.[key], stats);
  return h(
    "data.n",
    { value: value ?? "", "data-path": path, "data-unit": unit, "data-tip": exact(value, unit) },
    UNITS[unit](value),
  );
}

// The same of one of the processes.
export function numberOf(stats, process, name, unit) {
  return number(stats, `processes.${stats.processes.indexOf(process)}.${name}`, unit);
}

// A number that the page has computed.
export function derived(value, unit = "count", tip = null) {
  return h(
    "data.n",
    { value: value ?? "", "data-unit": unit, "data-tip": tip ?? exact(value, unit) },
    UNITS[unit](value),
  );
}

function exact(value, unit) {
  if (value == null) return "not known";
  if (unit === "bytes") return `${UNITS.count(value)} bytes`;
  if (unit === "seconds" || unit === "age") return `${value} s`;
  if (unit === "percent") return `${(value * 100).toFixed(2)} %`;
  return Number.isInteger(value) ? UNITS.count(value) : String(value);
}

// A horizontal bar of parts, each { value, kind, tip }, relative to `total`.
export function bar(parts, total, label) {
  return h(
    "div.bar",
    { role: "img", "aria-label": label },
    parts
      .filter((part) => part.value > 0)
      .map((part) =>
        h(`span.${part.kind}`, {
          "data-tip": part.tip,
          style: { width: `${Math.min(100, (100 * part.value) / total)}%` },
        }),
      ),
  );
}

// What each view is: a titled section whose sentence and body the view fills. `name` stands in the navigation.
export class Card {
  constructor(id, name, title, question) {
    this.says = h("p.says", { id: `${id}-says` });
    this.body = h("div.body");
    this.element = h(
      "section.card",
      { id, "data-name": name, "aria-labelledby": `${id}-title`, tabindex: "-1" },
      h("header", h("h2", { id: `${id}-title`, "data-tip": question }, title), this.says),
      this.body,
    );
  }
}

// entries: names and values.
export function facts(entries) {
  return h(
    "dl.facts",
    entries.map(([name, value]) => [h("dt", name), h("dd", value)]),
  );
}

export function legend(...entries) {
  return h(
    "ul.legend",
    entries.map(([kind, text]) => h("li", h(`i.${kind}`), text)),
  );
}

export function table(columns, rows, caption) {
  return h(
    "div.scroll",
    { tabindex: "0", role: "region", "aria-label": caption },
    h(
      "table",
      h("caption.hidden", caption),
      h(
        "thead",
        h(
          "tr",
          columns.map((column) =>
            h("th", { scope: "col", class: column.kind ?? null, "data-tip": column.tip ?? null }, column.title),
          ),
        ),
      ),
      h(
        "tbody",
        rows.map((row) =>
          h(
            "tr",
            row.map((cell, index) => h("td", { class: columns[index].kind ?? null }, cell)),
          ),
        ),
      ),
    ),
  );
}

export function empty(words) {
  return h("p.empty", words);
}
