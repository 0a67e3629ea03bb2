// The cells of the tree, one for each process. A thousand of them are drawn every two seconds, so only what has changed
// is touched; one of them is in the tab order, and the arrow keys go from one to the next.

import { h } from "../../dom.js";
import { bytes, compact, identityOf, processName, requestLine } from "../../format.js";

export class Cells {
  constructor(onSelect) {
    this.onSelect = onSelect;
    this.known = new Map();
    this.seen = new Set();
    this.selected = null;
    this.textless = false;
  }

  listen(tree) {
    this.tree = tree;
    tree.addEventListener("focusin", (event) => this.choose(event.target));
    tree.addEventListener("pointerover", (event) => this.choose(event.target));
    tree.addEventListener("click", (event) => event.target.closest("button.cell")?.focus());
    tree.addEventListener("keydown", (event) => this.move(event));
  }

  draw(container, processes) {
    const elements = processes.map((process) => this.cell(process));
    const now = container.children;
    const same = now.length === elements.length && elements.every((element, index) => now[index] === element);
    if (same) return;
    const focused = container.contains(document.activeElement) ? document.activeElement : null;
    container.replaceChildren(...elements);
    focused?.focus({ preventScroll: true });
  }

  // Called before the rows are drawn. textless: cells so small that they show a state only.
  begin(textless) {
    if (textless !== this.textless) this.known.clear();
    this.textless = textless;
    this.focused = this.tree.contains(document.activeElement) && document.activeElement.matches("button.cell");
  }

  // Called when all rows are drawn: forgets the cells of processes that are gone. Who has looked at one of them looks at
  // its successor in the same slot.
  finish() {
    for (const pid of this.known.keys()) if (!this.seen.has(pid)) this.known.delete(pid);
    this.seen.clear();
    this.selected &&= this.cellOf(this.selected)?.process ?? this.successor(this.selected);
    this.takeIntoTabOrder(this.selected ?? this.first());
    if (this.focused && !this.tree.contains(document.activeElement)) this.tabbable?.focus({ preventScroll: true });
  }

  // Not that of another process which has its pid now.
  cellOf(process) {
    const cell = this.known.get(process.pid);
    return cell && identityOf(cell.process) === identityOf(process) ? cell : null;
  }

  successor({ role, slot }) {
    for (const { process } of this.known.values()) if (process.role === role && process.slot === slot) return process;
    return null;
  }

  cell(process) {
    const { pid } = process;
    this.seen.add(pid);
    const cell = this.cellOf(process) ?? this.create(process);
    this.known.set(pid, cell);
    cell.process = process;
    const state = process.overdue ? "overdue" : process.state;
    const text = cell.fill !== undefined;
    const part = text && process.rss > 0 ? Math.round((100 * process.private) / process.rss) : 0;
    const note = text ? this.note(process) : "";
    const requests = text && process.role === "worker" ? compact(process.requests) : "";
    const signature = `${state}|${process.fork_safe}|${part}|${requests}|${note}`;
    if (signature === cell.signature) return cell.element;
    cell.signature = signature;
    const kept = ["kin", "chosen"].filter((name) => cell.element.classList.contains(name));
    cell.element.className = ["cell", process.role, state, ...(process.fork_safe ? [] : ["unsafe"]), ...kept].join(" ");
    if (text) {
      cell.fill.style.setProperty("width", `${Math.min(100, part)}%`);
      cell.count.textContent = requests;
      cell.note.textContent = note;
    }
    cell.element.setAttribute(
      "aria-label",
      `${processName(process)}, ${state}, generation ${process.generation ?? "none"}`,
    );
    return cell.element;
  }

  note(process) {
    if (process.role === "guest") return requestLine(process) || process.state;
    if (process.role !== "worker") return bytes(process.private);
    return process.state === "busy" ? requestLine(process) || "busy" : process.state;
  }

  create(process) {
    const attributes = { type: "button", tabindex: "-1", "data-pid": process.pid };
    if (this.textless && process.role === "worker") return { element: h("button", attributes), process };
    const fill = h("i.fill");
    const note = h("small.note-line");
    const count = h("small.count");
    const name = process.role === "worker" ? String(process.slot) : (process.name ?? process.role);
    const element = h("button", attributes, h("span.top", h("b", name), count), note, h("i.meter", fill));
    return { element, fill, note, count, process };
  }

  first() {
    for (const { process } of this.known.values()) if (process.role === "worker") return process;
    return this.known.values().next().value?.process ?? null;
  }

  box(pid) {
    return this.known.get(pid)?.element.getBoundingClientRect() ?? null;
  }

  choose(target) {
    const pid = Number(target.closest?.("button.cell")?.dataset.pid);
    const cell = this.known.get(pid);
    if (!cell || this.selected?.pid === pid) return;
    this.selected = cell.process;
    this.takeIntoTabOrder(cell.process);
    this.showKin(cell.process);
    this.onSelect(cell.process);
  }

  takeIntoTabOrder(process) {
    const element = process && this.known.get(process.pid).element;
    if (this.tabbable === element) return;
    this.tabbable?.setAttribute("tabindex", "-1");
    element?.setAttribute("tabindex", "0");
    this.tabbable = element;
  }

  // Its parent and its children.
  showKin(process) {
    this.tree.querySelectorAll(".kin, .chosen").forEach((element) => element.classList.remove("kin", "chosen"));
    for (const cell of this.known.values()) {
      const kin = cell.process.pid === process.parent_pid || cell.process.parent_pid === process.pid;
      if (kin) cell.element.classList.add("kin");
    }
    this.known.get(process.pid).element.classList.add("chosen");
  }

  move(event) {
    const all = [...this.tree.querySelectorAll("button.cell")];
    const at = all.indexOf(document.activeElement);
    if (at < 0) return;
    const next = {
      ArrowRight: all[at + 1],
      ArrowLeft: all[at - 1],
      Home: all[0],
      End: all.at(-1),
      ArrowDown: this.beyond(all, at, 1),
      ArrowUp: this.beyond(all, at, -1),
    }[event.key];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  // The nearest cell in the next line of cells above or below.
  beyond(all, at, direction) {
    const here = all[at].getBoundingClientRect();
    let best = null;
    for (let index = at + direction; index >= 0 && index < all.length; index += direction) {
      const box = all[index].getBoundingClientRect();
      if (Math.abs(box.top - here.top) < here.height / 2) continue;
      if (best && Math.abs(box.top - best.top) > 2) break;
      const distance = Math.abs(box.left - here.left);
      if (!best || distance < best.distance) best = { element: all[index], distance, top: box.top };
    }
    return best?.element;
  }
}
