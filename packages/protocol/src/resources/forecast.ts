/** When something that shrinks is used up, as a range: what is left says more than when exactly. */
export interface Forecast {
  soonestMs: number;
  /** Undefined: by the slower half of what was seen, never. */
  latestMs: number | undefined;
}

/** Fewer, or over a shorter time, they say nothing. */
const leastPoints = 20;
const leastMs = 10 * 60_000;
/** Nobody plans by what lies further ahead. */
const mostMs = 30 * 86_400_000;
/** Less than this share of what is there, lost over the whole time seen, is noise. */
const leastShare = 0.01;

/** Whether enough was seen to say anything. */
export function isSeen(atMs: readonly number[]): boolean {
  return atMs.length >= leastPoints && (atMs.at(-1) ?? 0) - (atMs[0] ?? 0) >= leastMs;
}

/**
 * By the trend of the whole time that was seen and of each half of it. Undefined: there is no trend towards zero, or too little
 * was seen.
 */
export function forecastEmpty(
  atMs: readonly number[],
  left: readonly (number | null)[],
  total: number,
): Forecast | undefined {
  const points = atMs.flatMap((at, n) => {
    const value = left[n];
    return value === null || value === undefined ? [] : [{ at, value }];
  });
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || !isSeen(points.map(({ at }) => at))) return undefined;
  const middle = Math.floor(points.length / 2);
  const [whole, early, late] = [points, points.slice(0, middle), points.slice(middle)].map(slopeOf) as [
    number,
    number,
    number,
  ];
  if (whole >= 0 || -whole * (last.at - first.at) < total * leastShare) return undefined;
  const spans = [whole, early, late].map((slope) => (slope < 0 ? last.value / -slope : undefined));
  const known = spans.filter((span) => span !== undefined);
  const soonestMs = Math.min(...known);
  if (soonestMs > mostMs) return undefined;
  const latestMs = known.length < spans.length ? undefined : Math.max(...known);
  return { soonestMs, latestMs: latestMs !== undefined && latestMs > mostMs ? undefined : latestMs };
}

/** Of the line that lies closest to the points, per millisecond. */
function slopeOf(points: readonly { at: number; value: number }[]): number {
  const n = points.length;
  const meanAt = points.reduce((sum, { at }) => sum + at, 0) / n;
  const meanValue = points.reduce((sum, { value }) => sum + value, 0) / n;
  let [up, across] = [0, 0];
  for (const { at, value } of points) {
    up += (at - meanAt) * (value - meanValue);
    across += (at - meanAt) ** 2;
  }
  return across === 0 ? 0 : up / across;
}
