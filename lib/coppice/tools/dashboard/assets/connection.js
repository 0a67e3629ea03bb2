// Asks the server every two seconds, forever: a restart shows as a time without a connection, and goes by itself.

const INTERVAL = 2000;
const PATIENCE = 10000;

// Where the dashboard is, by where its assets are: the page may have an address without the slash at its end.
const HOME = new URL("../", import.meta.url);

// Of one of its pages or files.
export const addressOf = (path) => new URL(path, HOME).href;

export class Connection {
  // past: filled with the history. draw(stats) and lost(since, error) are called as it goes.
  constructor(past, { draw, lost }) {
    this.past = past;
    this.draw = draw;
    this.lost = lost;
    this.lastAnswer = Date.now();
    this.server = null;
    document.addEventListener("visibilitychange", () => document.hidden || this.wake());
  }

  start() {
    this.turn();
  }

  // A page that comes to the front asks at once.
  wake() {
    if (!this.timer) return;
    clearTimeout(this.timer);
    this.turn();
  }

  async turn() {
    this.timer = null;
    if (!document.hidden) await this.ask();
    this.timer = setTimeout(() => this.turn(), INTERVAL);
  }

  async ask() {
    let stats;
    try {
      stats = await json("stats.json");
      if (!stats.server) throw new Error("no statistics", { cause: "this process is part of no Coppice server" });
      this.noteServer(stats.server);
      this.past.add(await json(`history.json?since=${this.past.seq}`));
    } catch (error) {
      this.lost(this.lastAnswer, error);
      return;
    }
    this.lastAnswer = Date.now();
    await this.draw(stats);
  }

  // Another monitor is another server, whose past begins anew. In a container each has pid 1.
  noteServer({ pid, started_at: startedAt }) {
    const server = `${pid} ${startedAt}`;
    if (this.server !== null && server !== this.server) this.past.clear();
    this.server = server;
  }
}

async function json(address) {
  const response = await fetch(addressOf(address), { signal: AbortSignal.timeout(PATIENCE), cache: "no-store" });
  if (response.status === 401) location.reload(); // a login that has expired: the server answers with its form
  if (!response.ok) throw new Error(address, { cause: `the server answers with status ${response.status}` });
  return response.json();
}

export async function text(address) {
  const response = await fetch(addressOf(address), { signal: AbortSignal.timeout(30000), cache: "no-store" });
  return response.text();
}

// An action needs this header, which a page of another site cannot send.
export async function act(verb, query = "") {
  const address = addressOf(`actions/${verb}${query}`);
  const response = await fetch(address, { method: "POST", headers: { "x-coppice-action": "1" } });
  return { ok: response.ok, text: (await response.text()).trim() };
}
