import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { checkCron, createTimetable, type TimetableOptions } from './timetable.ts';

const at = (text: string) => Date.parse(text);

function instants(options: Partial<TimetableOptions>, after: string, count: number): string[] {
  const times = createTimetable({ when: { cron: '0 0 * * *' }, timeZone: 'UTC', anchorMs: 0, ...options });
  const found: string[] = [];
  let last: number | undefined = at(after);
  while (last !== undefined && found.length < count) {
    last = times.after(last);
    if (last !== undefined) found.push(new Date(last).toISOString().replace(/(:00)?\.000Z$/, 'Z'));
  }
  return found;
}

const paris = (cron: string, after: string, count: number) =>
  instants({ when: { cron }, timeZone: 'Europe/Paris' }, after, count);

describe('cron', () => {
  it('has five fields, or six with seconds', () => {
    expect(instants({ when: { cron: '30 4 * * MON' } }, '2026-11-16T00:00Z', 2)).toEqual([
      '2026-11-16T04:30Z',
      '2026-11-23T04:30Z',
    ]);
    expect(instants({ when: { cron: '*/20 30 4 * * *' } }, '2026-11-16T00:00Z', 3)).toEqual([
      '2026-11-16T04:30Z',
      '2026-11-16T04:30:20Z',
      '2026-11-16T04:30:40Z',
    ]);
  });

  it('knows the first of March where a weekday is given too', () => {
    const either = { when: { cron: '45 1 1-7 * 0' } };
    expect(instants(either, '2030-02-24T12:00Z', 3)).toEqual([
      '2030-03-01T01:45Z',
      '2030-03-02T01:45Z',
      '2030-03-03T01:45Z',
    ]);
    expect(instants(either, '2030-03-01T12:00Z', 1)).toEqual(['2030-03-02T01:45Z']);
  });

  it('runs a local time that clocks are set forward over once, at the first valid moment', () => {
    expect(paris('30 2 * * *', '2026-03-28T12:00Z', 2)).toEqual(['2026-03-29T01:00Z', '2026-03-30T00:30Z']);
    expect(paris('0,15,30 2,3 * * *', '2026-03-28T12:00Z', 4)).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-29T01:15Z',
      '2026-03-29T01:30Z',
      '2026-03-30T00:00Z',
    ]);
  });

  it('runs a local time that comes twice at its first coming', () => {
    expect(paris('*/30 2 * * *', '2026-10-24T12:00Z', 3)).toEqual([
      '2026-10-25T00:00Z',
      '2026-10-25T00:30Z',
      '2026-10-26T01:00Z',
    ]);
    // Asked during the second coming.
    expect(paris('30 2 * * *', '2026-10-25T01:10Z', 1)).toEqual(['2026-10-26T01:30Z']);
  });

  it('keeps an interval of hours or minutes whatever the clocks are set to', () => {
    const hourly = ['00', '01', '02', '03'].map((hour) => `T${hour}:00Z`);
    expect(paris('0 * * * *', '2026-03-28T23:30Z', 4)).toEqual(hourly.map((hour) => `2026-03-29${hour}`));
    expect(paris('0 * * * *', '2026-10-24T23:30Z', 4)).toEqual(hourly.map((hour) => `2026-10-25${hour}`));
  });

  it('knows a zone whose clocks change at midnight, and by half an hour', () => {
    const havana = { when: { cron: '15 * 1 11 *' }, timeZone: 'America/Havana' };
    expect(instants(havana, '2026-06-01T00:00Z', 2)).toEqual(['2026-11-01T04:15Z', '2026-11-01T05:15Z']);
    const lordHowe = { when: { cron: '15 2 * * *' }, timeZone: 'Australia/Lord_Howe' };
    expect(instants(lordHowe, '2026-10-03T00:00Z', 2)).toEqual(['2026-10-03T15:30Z', '2026-10-04T15:15Z']);
  });

  it('refuses what cannot be read or never comes true, and says why', () => {
    expect(() => checkCron('61 * * * *')).toThrow('invalid cron expression: 61 * * * *');
    expect(() => checkCron('0 0 30 2 *')).toThrow('never comes true');
    expect(() => checkCron('0 0 29 2 *')).not.toThrow();
  });
});

describe('every', () => {
  const every = (count: number, unit: 'hours' | 'days' | 'weeks' | 'months' | 'years', anchor: string) => ({
    when: { every: count, unit },
    timeZone: 'Europe/Paris',
    anchorMs: at(anchor),
  });

  it('begins with its anchor', () => {
    expect(instants(every(3, 'hours', '2026-01-01T10:00Z'), '2025-01-01T00:00Z', 2)).toEqual([
      '2026-01-01T10:00Z',
      '2026-01-01T13:00Z',
    ]);
  });

  it('counts hours as elapsed time and days on the calendar', () => {
    expect(instants(every(24, 'hours', '2026-03-28T01:30Z'), '2026-03-28T12:00Z', 1)).toEqual([
      '2026-03-29T01:30Z',
    ]);
    expect(instants(every(1, 'days', '2026-03-28T01:30Z'), '2026-03-28T12:00Z', 2)).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-30T00:30Z',
    ]);
  });

  it('clamps the day to the length of the month, and remembers it', () => {
    expect(instants(every(1, 'months', '2027-12-31T11:00Z'), '2028-01-01T00:00Z', 4)).toEqual([
      '2028-01-31T11:00Z',
      '2028-02-29T11:00Z',
      '2028-03-31T10:00Z',
      '2028-04-30T10:00Z',
    ]);
    expect(instants(every(1, 'years', '2028-02-29T11:00Z'), '2028-03-01T00:00Z', 4)).toEqual([
      '2029-02-28T11:00Z',
      '2030-02-28T11:00Z',
      '2031-02-28T11:00Z',
      '2032-02-29T11:00Z',
    ]);
  });

  it('counts from the end of a run', () => {
    const times = createTimetable(every(1, 'months', '2026-01-01T00:00Z'));
    expect(new Date(times.afterEnd(at('2026-01-31T10:00:00.4Z')) ?? 0).toISOString()).toBe(
      '2026-02-28T10:00:01.000Z',
    );
  });
});

test('whatever the schedule, the next instant is later and nothing lies between', () => {
  const zones = ['UTC', 'Europe/Paris', 'America/New_York', 'Australia/Lord_Howe', 'America/Havana'];
  const units = ['minutes', 'hours', 'days', 'weeks', 'months', 'years'] as const;
  const cron = fc
    .tuple(fc.constantFrom('0', '*/30', '15,45'), fc.constantFrom('*', '1-3', '2', '*/5', '0,23'))
    .map(([minute, hour]) => ({ cron: `${minute} ${hour} * * *` }));
  const every = fc.record({ every: fc.integer({ min: 1, max: 40 }), unit: fc.constantFrom(...units) });
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.oneof(cron, every),
      fc.integer({ min: at('2024-01-01T00:00Z'), max: at('2029-01-01T00:00Z') }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (timeZone, when, afterMs, share) => {
        const times = createTimetable({ when, timeZone, anchorMs: at('2024-01-31T01:30Z') });
        const next = times.after(afterMs) as number;
        expect(next).toBeGreaterThan(afterMs);
        expect(times.after(afterMs + Math.floor((next - afterMs - 1) * share))).toBe(next);
      },
    ),
    { numRuns: 300 },
  );
});
