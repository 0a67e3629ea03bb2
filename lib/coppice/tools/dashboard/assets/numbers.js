// Sums that several views need.

export const present = (values) => values.filter((value) => value != null);
export const sum = (values) => present(values).reduce((total, value) => total + value, 0);

export function median(values) {
  const sorted = present(values).sort((one, other) => one - other);
  return sorted.length ? sorted[Math.floor((sorted.length - 1) / 2)] : null;
}

export const workersOf = (stats) => stats.processes.filter((process) => process.role === "worker");

// Those that a rollout has still to replace: of an older generation, or of another release than the committed one. The
// first worker of a release that is on trial is none of them.
export function workersToReplace(stats) {
  const { running, roll } = stats.releases;
  const another = (release) => running && release && release !== running.number && release !== roll?.number;
  return workersOf(stats).filter(
    ({ generation, release }) => generation < stats.server.generation || another(release),
  );
}

// Slope per second of the straight line through the points, least squares; null for fewer than three.
export function slope(points) {
  if (points.length < 3) return null;
  const meanX = sum(points.map(([x]) => x)) / points.length;
  const meanY = sum(points.map(([, y]) => y)) / points.length;
  const spread = sum(points.map(([x]) => (x - meanX) ** 2));
  return spread === 0 ? null : sum(points.map(([x, y]) => (x - meanX) * (y - meanY))) / spread;
}
