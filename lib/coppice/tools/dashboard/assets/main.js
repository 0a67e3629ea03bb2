// The page: one connection, and the views that draw what it answers.

import { Connection } from "./connection.js";
import { Past } from "./past.js";
import { h } from "./dom.js";
import { startTips } from "./tips.js";
import { Head } from "./views/head.js";
import { Family } from "./views/family.js";
import { Memory } from "./views/memory.js";
import { Ledger } from "./views/ledger.js";
import { PageMap } from "./views/page_map.js";
import { Promotions } from "./views/promotions.js";
import { Latency } from "./views/latency.js";
import { FirstRequest } from "./views/first_request.js";
import { ForkSafety } from "./views/fork_safety.js";
import { Requests } from "./views/requests.js";
import { Utilization } from "./views/utilization.js";
import { Exits } from "./views/exits.js";
import { Guests } from "./views/guests.js";
import { Headroom } from "./views/headroom.js";
import { Releases } from "./views/releases.js";

const features = new Set(document.body.dataset.features.split(" "));
const past = new Past();
const head = new Head(features);
const views = [
  Family,
  Memory,
  Ledger,
  Latency,
  Utilization,
  Promotions,
  FirstRequest,
  Releases,
  Requests,
  PageMap,
  Exits,
  Guests,
  Headroom,
  ForkSafety,
].map((View) => new View(features));

document.getElementById("head").append(head.element);
document.getElementById("views").replaceChildren(...views.map((view) => view.element));
document.getElementById("nav").append(
  h(
    "ul",
    views.map((view) => h("li", h("a", { href: `#${view.element.id}` }, view.element.dataset.name))),
  ),
);

// What one view cannot draw must not take the others with it. Answers how long it took, in milliseconds.
function timed(view, stats) {
  const began = performance.now();
  try {
    view.draw(stats, past);
  } catch (error) {
    console.error(error);
  }
  return performance.now() - began;
}

const nextTask = () => new Promise((go) => setTimeout(go));
let frame = 0;

// Views are drawn in tasks of their own, so that a page with a thousand workers goes on scrolling meanwhile.
async function draw(stats) {
  document.body.classList.remove("lost");
  const times = [];
  for (const view of [head, ...views]) {
    times.push(timed(view, stats));
    await nextTask();
  }
  document.dispatchEvent(new Event("drawn"));
  document.body.dataset.drawMs = Math.max(...times).toFixed(1); // the longest task
  document.body.dataset.frame = frame += 1;
  const { generation, workers_ready: ready, workers_busy: busy } = stats.server;
  document.title = `Coppice · gen ${generation} · ${busy}/${ready} busy`;
}

function lost(since, error) {
  document.body.classList.add("lost");
  head.lost(since, error);
}

startTips();
new Connection(past, { draw, lost }).start();
