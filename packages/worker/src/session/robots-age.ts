import type { RobotsCopy } from '@webfarer/protocol';

/** Clocks of machines that share copies may be this far apart. */
const aheadMs = 60_000;

/**
 * Whether a copy is young enough to decide by. One that is dated in the future was fetched while a clock was wrong: its
 * age is not known, so it is fetched again.
 */
export function isYoung(
  { fetchedAtMs }: Pick<RobotsCopy, 'fetchedAtMs'>,
  nowMs: number,
  maxAgeMs: number,
): boolean {
  return fetchedAtMs <= nowMs + aheadMs && nowMs - fetchedAtMs < maxAgeMs;
}
