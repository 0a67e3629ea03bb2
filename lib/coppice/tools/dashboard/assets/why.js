// "Why are clients waiting?", answered in one sentence from the data.

import { age, count, percent, plural, requestLine, seconds } from "./format.js";
import { median } from "./numbers.js";

export function why(stats, past) {
  const { server } = stats;
  const waiting = server.requests_waiting;
  if (server.state === "booting") return "The application boots: clients wait until the first worker is ready.";
  if (server.state === "stopping")
    return "The server is stopping: it serves the clients that have connected, and accepts no more.";
  if (waiting == null) return `How many clients wait is not known here; ${busyOf(server)}.`;
  if (waiting === 0) return `No client waits: ${busyOf(server)}.`;
  return `${plural(waiting, "client waits", "clients wait")}${cause(stats, past)}`;
}

function busyOf({ workers_busy: busy, workers_ready: ready }) {
  return `${count(busy)} of ${plural(ready, "worker")} ${busy === 1 ? "is" : "are"} busy`;
}

function cause(stats, past) {
  const { workers, workers_busy: busy, workers_ready: ready } = stats.server;
  const { held_back: held = 0, held_route: route } = stats.lobby ?? {};
  if (held > 0) return `, ${count(held)} because their routes are slow, such as ${route}: others come first.`;
  if (ready === 0) return " because no worker is ready.";
  if (busy < ready) return ` though ${plural(ready - busy, "worker is", "workers are")} idle: a burst that passes.`;
  if (ready < workers) return ` because only ${ready} of ${workers} workers are ready, and all of them are busy.`;
  const all = ready === 1 ? "the only worker is" : `all ${count(ready)} workers are`;
  return ` because ${all} busy, ${reason(stats, past)}.`;
}

function reason(stats, past) {
  const busy = stats.processes.filter((process) => process.in_flight);
  const slow = busy.filter((process) => process.request_age > 1); // the work after the response occupies it, too
  if (slow.length * 2 >= busy.length && slow.length > 0) {
    const oldest = slow.reduce((one, other) => (one.request_age > other.request_age ? one : other));
    const after = oldest.answered_age == null ? "" : ", which is answered already";
    const longest = `${requestLine(oldest) || "a request"} for ${age(oldest.request_age)}${after}`;
    return `${slow.length} of them for more than 1 s, longest with ${longest}`;
  }
  const usual = median(stats.processes.map((process) => process.median_seconds));
  const short = usual ? `with short requests (median ${seconds(usual)})` : "with short requests";
  const cpu = cpuShare(past);
  if (cpu === null) return short;
  return cpu > 0.75
    ? `${short} that compute: more workers help only if processors are free`
    : `${short} that wait for something else ${percent(1 - cpu)} of their time: more workers help`;
}

// CPU time of all processes ÷ time in requests, in the last half minute.
function cpuShare(past) {
  const busy = past.rate("busy_seconds", 30)?.at(-1);
  const cpu = past.rate("cpu_seconds", 30)?.at(-1);
  return busy && cpu != null ? Math.min(1, cpu / busy) : null;
}
