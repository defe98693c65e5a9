/** Parts of one processor over some time, by the kernel's own account. */
export interface Measured {
  used: number;
  /** Used, or waited for while others had the processors. */
  wanted: number;
}

export interface ShareTrial {
  share: number;
  within: number;
  bound: Measured;
  /** The same work without a share. */
  unbound: Measured;
}

/**
 * A process that sleeps too much is told from one that waits for its turn by what it wanted. Where others leave less than the share even
 * to work without one, a bound cannot be seen, so nothing is shown.
 */
export function judgeShare({ share, within, bound, unbound }: ShareTrial): {
  isWrong: boolean;
  isEasy: boolean;
} {
  return {
    isWrong: bound.used > share + within || bound.wanted < share - within,
    isEasy: unbound.used < 1.5 * share,
  };
}
