// Numbers with their units, as people read them. Every formatter answers text; null is a dash.

const DASH = "–";
const NB = "\u00A0"; // a number and its unit stay on one line
const LOCALE = "en-GB"; // thin, unambiguous, and the same in every browser
const grouped = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 0 });

const known = (value) => value != null && Number.isFinite(Number(value));

// Three significant digits: 9.81, 98.1, 981.
function significant(value) {
  const size = Math.abs(value);
  return value.toFixed(size >= 99.95 || size === 0 ? 0 : size >= 9.995 ? 1 : 2);
}

export function count(value) {
  return known(value) ? grouped.format(value).replaceAll(",", NB) : DASH;
}

// 1 234 567 → 1.23 M
export function compact(value) {
  if (!known(value)) return DASH;
  if (Math.abs(value) < 10000) return Number.isInteger(value) ? count(value) : significant(value);
  const [size, unit] = Math.abs(value) < 1e6 ? [1e3, "k"] : Math.abs(value) < 1e9 ? [1e6, "M"] : [1e9, "G"];
  return `${significant(value / size)}${NB}${unit}`;
}

export function bytes(value) {
  if (!known(value)) return DASH;
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let size = value;
  let unit = 0;
  while (Math.abs(size) >= 999.5 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? size.toFixed(0) : significant(size)}${NB}${units[unit]}`;
}

// A duration: 420 µs, 16.5 ms, 2.40 s.
export function seconds(value) {
  if (!known(value)) return DASH;
  const size = Math.abs(value);
  if (size >= 120) return age(value);
  if (size >= 0.9995) return `${significant(value)}${NB}s`;
  if (size >= 0.0009995) return `${significant(value * 1e3)}${NB}ms`;
  return size === 0 ? `0${NB}s` : `${significant(value * 1e6)}${NB}µs`;
}

// A longer time: 42 s, 12 min, 3 h 05 min, 4 d 02 h.
export function age(value) {
  if (!known(value)) return DASH;
  const two = (part) => String(part).padStart(2, "0");
  const whole = Math.floor(value);
  if (whole < 120) return `${whole}${NB}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)}${NB}s`;
  if (whole < 86400) return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} min`;
  return `${Math.floor(whole / 86400)} d ${two(Math.floor((whole % 86400) / 3600))} h`;
}

export function percent(value) {
  if (!known(value)) return DASH;
  const size = Math.abs(value * 100);
  return `${(value * 100).toFixed(size < 9.95 && size !== 0 ? 1 : 0)}${NB}%`;
}

export function factor(value) {
  return known(value) ? `${value.toFixed(2)}${NB}×` : DASH;
}

export function clock(unix) {
  return known(unix) ? new Date(unix * 1000).toLocaleTimeString(LOCALE, { hour12: false }) : DASH;
}

// A moment of the last hours by its time, an older one with its day. Both in Unix time.
export function moment(unix, now) {
  if (!known(unix) || now - unix < 43200) return clock(unix);
  const day = new Date(unix * 1000).toLocaleDateString(LOCALE, { day: "numeric", month: "short" });
  return `${day} ${clock(unix).slice(0, 5)}`;
}

export function plural(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

// What a client asked this process for, without the query: it may carry tokens and personal data. Of a guest it is the
// program, whole.
export function requestLine({ role, request }) {
  if (role === "guest") return request ?? "";
  return request ? request.split("?", 1)[0] : "";
}

// For how long a process has been doing what it does. After the response nobody waits for it.
export const ageKey = (process) => (process.answered_age == null ? "request_age" : "answered_age");
export const workAge = (process) => process[ageKey(process)];
export const workNote = (process) => (process.answered_age == null ? " for " : " after its response for ");

export function processName(process) {
  if (process.role === "worker") return `worker ${process.slot}`;
  return process.name ? `${process.role} ${process.name}` : process.role;
}

// Tells processes apart where a pid does not: in a container a server that is started again gives the same ones anew.
export const identityOf = (process) => `${process.pid} ${processName(process)} ${process.generation}`;

export const plain = (value) => (known(value) ? String(value) : DASH);

// Which worker a promotion has copied; a cold mold is a copy of none.
export const originOf = (promotion) =>
  known(promotion.template_slot) ? `from worker ${promotion.template_slot}` : "booted";

export const UNITS = { plain, count, compact, bytes, seconds, age, percent, factor };
