export interface Ratio {
  /** Null when it was not measured. */
  median: number | null;
  /** 95 % of resampled medians lie between these. */
  interval: [number, number] | null;
  rounds: number[];
}

/** Median of the rounds' ratios, with a bootstrap interval. Same input, same answer. */
export function ratioOf(values: number[]): Ratio {
  const rounds = values.map(round);
  if (values.length === 0) return { median: null, interval: null, rounds };
  const draws = 2_000;
  let state = 12_345;
  const next = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * below);
  };
  const medians = Array.from({ length: draws }, () =>
    median(values.map(() => values[next(values.length)] ?? 0)),
  );
  medians.sort((a, b) => a - b);
  const at = (share: number) => round(medians[Math.floor(share * (draws - 1))] ?? 0);
  return { median: round(median(values)), interval: [at(0.025), at(0.975)], rounds };
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[half] ?? 0) : ((sorted[half - 1] ?? 0) + (sorted[half] ?? 0)) / 2;
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
