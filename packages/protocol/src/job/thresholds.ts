import type { Threshold } from './job.ts';
import { doneReasons, failedReasons, refusedReasons } from '../base/reasons.ts';
import type { Balance } from '../crawl/record.ts';

const verdicts = ['done', 'failed', 'refused'];

/** What a threshold may be of, besides HTTP statuses. */
export const thresholdNames: readonly string[] = [
  ...verdicts,
  'items',
  ...Object.keys(doneReasons),
  ...Object.keys(failedReasons),
  ...Object.keys(refusedReasons),
];

export function isThresholdName(name: string): boolean {
  return thresholdNames.includes(name) || /^[1-5](?:xx|\d\d)$/.test(name);
}

export function parseThresholds(thresholds: Record<string, string>): Threshold[] {
  return Object.entries(thresholds).map(([of, text]) => {
    const [, sign = '<', value = '0', percent] = /(<=?|>=?)\s*([\d.]+)\s*(%?)/.exec(text) ?? [];
    return { of, sign: sign as Threshold['sign'], value: Number(value), percent: percent === '%' };
  });
}

/** What thresholds are measured on: the figures of a snapshot. */
export interface ThresholdFigures {
  balance: Balance;
  byStatus: Readonly<Record<string, number>>;
  byReason: Readonly<Partial<Record<string, number>>>;
  items: number;
}

export interface ThresholdResult extends Threshold {
  /** In percent of all settled URLs where the threshold is. */
  actual: number;
  met: boolean;
}

export function measureThresholds(
  thresholds: readonly Threshold[],
  figures: ThresholdFigures,
): ThresholdResult[] {
  const { done, failed, refused } = figures.balance;
  const settled = done + failed + refused;
  return thresholds.map((threshold) => {
    const amount = amountOf(threshold.of, figures);
    const actual = threshold.percent ? (settled === 0 ? 0 : (amount / settled) * 100) : amount;
    return { ...threshold, actual, met: holds(actual, threshold) };
  });
}

function amountOf(of: string, { balance, byStatus, byReason, items }: ThresholdFigures): number {
  if (of === 'items') return items;
  if (of === 'done' || of === 'failed' || of === 'refused') return balance[of];
  if (/^\dxx$/.test(of)) return statusClass(of, byStatus, byReason);
  return byStatus[of] ?? byReason[of] ?? 0;
}

/** URLs that ended in 5xx are failed, not done: they are counted by reason. */
function statusClass(
  of: string,
  byStatus: ThresholdFigures['byStatus'],
  byReason: ThresholdFigures['byReason'],
) {
  let sum = byReason[`http-${of}`] !== undefined && of === '5xx' ? (byReason['http-5xx'] ?? 0) : 0;
  for (const [status, count] of Object.entries(byStatus)) if (status[0] === of[0]) sum += count;
  return sum;
}

function holds(actual: number, { sign, value }: Threshold): boolean {
  switch (sign) {
    case '<':
      return actual < value;
    case '<=':
      return actual <= value;
    case '>':
      return actual > value;
    case '>=':
      return actual >= value;
  }
}
