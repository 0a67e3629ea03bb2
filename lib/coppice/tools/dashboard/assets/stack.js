// The stack of a worker, on demand, in a dialog.

import { h } from "./dom.js";
import { text } from "./connection.js";
import { processName } from "./format.js";

export async function showStack(process) {
  const lines = h("pre", "asking …");
  const dialog = h(
    "dialog",
    { "aria-label": `stack of ${processName(process)}`, onclose: () => dialog.remove() },
    h(
      "form",
      { method: "dialog" },
      h("h3", `Stack of ${processName(process)}`, h("span", ` pid ${process.pid}`)),
      h("button", { type: "submit" }, "Close"),
    ),
    lines,
  );
  dialog.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault(); // the page's policy lets no form be sent
    dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  try {
    lines.textContent = await text(`backtrace?slot=${process.slot}`);
  } catch (error) {
    lines.textContent = `no answer: ${error.message}`;
  }
}
