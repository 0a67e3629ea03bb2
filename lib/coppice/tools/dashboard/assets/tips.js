// One tooltip for the page: the exact value or the meaning of what is pointed at, or focused.

import { h } from "./dom.js";

export function startTips() {
  const tip = h("div.tip", { role: "tooltip", id: "tip", hidden: true });
  document.body.append(tip);
  let shown = null;
  let pointer = null;

  const hide = () => {
    shown = null;
    tip.hidden = true;
  };

  const show = (target) => {
    if (target === shown) return;
    hide();
    if (!target?.dataset.tip) return;
    shown = target;
    tip.textContent = target.dataset.tip;
    tip.hidden = false;
    const box = target.getBoundingClientRect();
    const left = Math.min(box.left + box.width / 2 - tip.offsetWidth / 2, innerWidth - tip.offsetWidth - 8);
    const above = box.top - tip.offsetHeight - 6;
    tip.style.setProperty("left", `${Math.max(8, left)}px`);
    tip.style.setProperty("top", `${above > 4 ? above : box.bottom + 6}px`);
  };

  document.addEventListener("pointerover", (event) => {
    pointer = [event.clientX, event.clientY];
    show(event.target.closest?.("[data-tip]"));
  });
  document.addEventListener("focusin", (event) => show(event.target.closest?.("[data-tip]")));
  document.addEventListener("focusout", hide);
  document.addEventListener("scroll", hide, { capture: true, passive: true });
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  // What was pointed at may have been drawn anew.
  document.addEventListener("drawn", () => {
    if (shown && !shown.isConnected) show(pointer && document.elementFromPoint(...pointer)?.closest("[data-tip]"));
  });
}
