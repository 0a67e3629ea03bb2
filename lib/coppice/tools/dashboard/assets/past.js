// The last hour as the server's ring tells it: records every two seconds, totals that only grow. Answers columns and
// the differences between them.

const HOUR = 3600;
const QUANTILE_WINDOW = 30; // seconds that each of them covers
const NEAR = 10; // seconds between a commit and the record that shows it, at most

export class Past {
  constructor() {
    this.clear();
  }

  clear() {
    this.seq = 0;
    this.names = [];
    this.records = [];
    this.columns = new Map();
    this.series = new Map(); // what was computed for each record, once
  }

  // Adds what history.json answered. A sequence number that went back is another server's.
  add({ seq, interval, names, records }) {
    if (seq < this.seq) this.clear();
    this.interval = interval;
    this.names = names;
    if (records.length) {
      this.records.push(...records);
      const old = Math.max(0, this.records.length - Math.ceil(HOUR / interval));
      this.records.splice(0, old);
      this.columns.clear();
      for (const values of this.series.values()) values.splice(0, old);
    }
    this.seq = seq;
  }

  get length() {
    return this.records.length;
  }

  column(name) {
    if (!this.columns.has(name)) {
      const index = this.names.indexOf(name);
      this.columns.set(name, index < 0 ? null : this.records.map((record) => record[index]));
    }
    return this.columns.get(name);
  }

  // Growth per second of a total, at each record, over a window that ends there.
  rate(name, window) {
    const totals = this.column(name);
    const times = this.column("time");
    if (!totals) return null;
    const steps = Math.max(1, Math.round(window / this.interval));
    return this.once(`rate ${name} ${window}`, (index) => {
      const from = Math.max(0, index - steps);
      return index === from ? null : Math.max(0, totals[index] - totals[from]) / (times[index] - times[from]);
    });
  }

  // A quantile of the durations that were noted between two records.
  quantileBetween(name, bounds, from, to, part) {
    const counts = this.column(name);
    if (!counts || !counts[to] || !counts[from]) return null;
    return quantile(
      bounds,
      counts[to].map((one, index) => one - counts[from][index]),
      part,
    );
  }

  quantiles(name, bounds, part) {
    const steps = Math.max(1, Math.round(QUANTILE_WINDOW / this.interval));
    return this.once(`quantile ${name} ${part}`, (index) =>
      index === 0 ? null : this.quantileBetween(name, bounds, Math.max(0, index - steps), index, part),
    );
  }

  // The values of a series, computed for records that are new.
  once(key, compute) {
    if (!this.series.has(key)) this.series.set(key, []);
    const values = this.series.get(key);
    for (let index = values.length; index < this.records.length; index += 1) values.push(compute(index));
    return values.slice();
  }

  // Unix times at which another generation began to serve: after a rollback, an earlier one. history: of the releases;
  // a mark has the number of the release that began there.
  marks(history) {
    const generations = this.column("generation") ?? [];
    const times = this.column("time");
    const releaseAt = (generation, time) =>
      history.find(
        (one) => one.generation === generation && Math.abs(one.time + one.seconds - time) <= NEAR && one.kind !== "start",
      )?.number;
    return generations.flatMap((generation, index) =>
      index > 0 && generation !== generations[index - 1]
        ? [{ time: times[index], generation, index, release: releaseAt(generation, times[index]) }]
        : [],
    );
  }

  indexAt(time) {
    const times = this.column("time") ?? [];
    let low = 0;
    let high = times.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle] < time) low = middle + 1;
      else high = middle;
    }
    return high < 0 ? null : low;
  }
}

// Within its bucket a duration is taken to lie at the place that its rank has there.
function quantile(bounds, counts, part) {
  const total = counts.reduce((sum, one) => sum + one, 0);
  if (total <= 0) return null;
  let left = total * part;
  for (let index = 0; index < counts.length; index += 1) {
    if (counts[index] > 0 && left <= counts[index]) {
      const upper = bounds[index] ?? bounds[bounds.length - 1];
      const lower = index === 0 ? 0 : bounds[index - 1];
      return lower + ((upper - lower) * left) / counts[index];
    }
    left -= counts[index];
  }
  return bounds[bounds.length - 1];
}
