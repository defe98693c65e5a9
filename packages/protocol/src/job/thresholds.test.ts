import { describe, expect, it } from 'vitest';
import { isThresholdName, measureThresholds, parseThresholds } from './thresholds.ts';

const figures = {
  balance: { known: 205, queued: 5, leased: 0, done: 180, failed: 12, refused: 8 },
  byStatus: { '200': 150, '301': 10, '404': 17, '410': 3 },
  byReason: { ok: 150, 'http-4xx': 20, 'http-5xx': 2, timeout: 10 },
  items: 40,
};

describe('thresholds', () => {
  it.each([
    [{ failed: '< 6%' }, 6, false],
    [{ failed: '<= 6%' }, 6, true],
    [{ failed: '<13' }, 12, true],
    [{ refused: '< 5 %' }, 4, true],
    [{ done: '>= 180' }, 180, true],
    [{ items: '> 40' }, 40, false],
    [{ '4xx': '< 20' }, 20, false],
    [{ '404': '< 10%' }, 8.5, true],
    [{ '5xx': '<= 1%' }, 1, true],
    [{ timeout: '< 5%' }, 5, false],
    [{ 'host-dead': '<= 0' }, 0, true],
  ])('%j', (threshold, actual, met) => {
    expect(measureThresholds(parseThresholds(threshold as Record<string, string>), figures)).toMatchObject([
      { actual, met },
    ]);
  });

  it('of nothing are 0 percent', () => {
    const none = {
      balance: { known: 0, queued: 0, leased: 0, done: 0, failed: 0, refused: 0 },
      byStatus: {},
      byReason: {},
      items: 0,
    };
    expect(measureThresholds(parseThresholds({ failed: '< 1%' }), none)).toMatchObject([
      { actual: 0, met: true },
    ]);
  });

  it('have known names', () => {
    expect(['failed', '5xx', '404', 'robots', 'items'].every(isThresholdName)).toBe(true);
    expect(['6xx', '999', 'fialed', ''].some(isThresholdName)).toBe(false);
  });
});
