/** What one round has measured of a figure on both sides, at the same time. Less is better. */
export interface Pair {
  here: number;
  base: number;
}

export interface Judgement {
  /** What the base takes to what this tree takes: below 1 this tree is worse. */
  ratio: number;
  /** Standard error of the ratio. */
  error: number;
  /** Open: more rounds would tell. */
  verdict: 'kept' | 'lost' | 'open';
}

/** So far from the bar, in standard errors, that more rounds would not change the verdict. */
const sure = 2.5;
/** Fewer rounds than these decide nothing: to lose a figure takes one more than to keep it. */
const fewestPairs = { kept: 2, lost: 3 };
/** Scatter of a pair that few rounds may hide. */
const leastScatter = 0.02;

/**
 * Judges a figure against the least ratio it may have. With five rounds or more the best and the worst are left out:
 * beside other load a round is now and then far off.
 */
export function judge(pairs: readonly Pair[], least: number): Judgement {
  const logs = pairs.map(({ here, base }) => Math.log(base / here)).toSorted((a, b) => a - b);
  const middle = logs.length >= 5 ? logs.slice(1, -1) : logs;
  if (middle.length === 0 || middle.some(Number.isNaN))
    return { ratio: Number.NaN, error: Number.NaN, verdict: 'open' };
  // One side took nothing at all.
  if (!middle.every(Number.isFinite)) return { ratio: Math.exp(middle[0] ?? 0), error: 0, verdict: 'open' };
  const mean = middle.reduce((sum, log) => sum + log, 0) / middle.length;
  const variance = middle.reduce((sum, log) => sum + (log - mean) ** 2, 0) / Math.max(1, middle.length - 1);
  const ratio = Math.exp(mean);
  const error = (Math.max(Math.sqrt(variance), leastScatter) / Math.sqrt(middle.length)) * ratio;
  const distance = (ratio - least) / error;
  const leaning = distance > 0 ? 'kept' : 'lost';
  const decided = Math.abs(distance) >= sure && pairs.length >= fewestPairs[leaning];
  return { ratio, error, verdict: decided ? leaning : 'open' };
}

/**
 * The verdict when no time is left for more rounds. Near the bar chance would decide, so only a sure loss is one; a figure
 * without a number is lost.
 */
export function isKept({ ratio, verdict }: Judgement): boolean {
  return verdict !== 'lost' && !Number.isNaN(ratio);
}
