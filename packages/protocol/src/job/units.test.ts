import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, formatSize, parseDuration, parseSize } from './units.ts';

describe('durations', () => {
  it.each([
    ['500ms', 500],
    ['1s', 1_000],
    ['1.5s', 1_500],
    ['10m', 600_000],
    ['12h', 43_200_000],
    ['7d', 604_800_000],
    ['1h 30m', 5_400_000],
    ['1h30m', 5_400_000],
    ['0s', 0],
  ])('%s', (text, ms) => expect(parseDuration(text)).toBe(ms));

  it.each(['', '1', 's', '1 hour', '-1s', '1S', '1e3s', '1s,'])('refuses %j', (text) =>
    expect(parseDuration(text)).toBeUndefined(),
  );

  it('writes what it reads', () => {
    fc.assert(fc.property(fc.nat(1e10), (ms) => parseDuration(formatDuration(ms)) === ms));
    expect(formatDuration(90_000)).toBe('1m 30s');
  });
});

describe('sizes', () => {
  it.each([
    ['10MB', 10_000_000],
    ['20GB', 20_000_000_000],
    ['1 MiB', 1_048_576],
    ['1.5kb', 1_500],
    ['7B', 7],
  ])('%s', (text, bytes) => expect(parseSize(text)).toBe(bytes));

  it.each(['', '10', '10M', 'MB', '-1MB', '1PB'])('refuses %j', (text) =>
    expect(parseSize(text)).toBeUndefined(),
  );

  it('writes what it reads', () => {
    fc.assert(fc.property(fc.nat(1e13), (bytes) => parseSize(formatSize(bytes)) === bytes));
    expect(formatSize(20_000_000_000)).toBe('20GB');
    expect(formatSize(1_234)).toBe('1234B');
  });
});
