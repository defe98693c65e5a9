import fc from 'fast-check';
import { expect, it } from 'vitest';
import { phasesOf, untoldTries } from './phases.ts';

const whole = { durationMs: 1_000, firstByteMs: 800 };

it('tells phases that follow each other', () => {
  expect(phasesOf({ ...whole, fetched: { dnsMs: 100, connectMs: 200, tlsMs: 300 } })).toEqual([
    { name: 'dns', fromMs: 0, ms: 100 },
    { name: 'connect', fromMs: 100, ms: 200 },
    { name: 'tls', fromMs: 300, ms: 300 },
    { name: 'answer', fromMs: 600, ms: 200 },
    { name: 'body', fromMs: 800, ms: 200 },
  ]);
  expect(phasesOf({ ...whole, fetched: { reused: true } })?.map(({ name, ms }) => `${name} ${ms}`)).toEqual([
    'answer 800',
    'body 200',
  ]);
});

it('tells nothing where nothing was recorded, and no body where no byte came', () => {
  expect(phasesOf(whole)).toBeUndefined();
  expect(
    phasesOf({ durationMs: 50, fetched: { dnsMs: 50 } })?.map(({ name, ms }) => `${name} ${ms}`),
  ).toEqual(['dns 50', 'answer 0']);
});

it('adds up to the duration, whatever was measured', () => {
  const ms = fc.option(fc.nat(2_000), { nil: undefined });
  fc.assert(
    fc.property(fc.nat(2_000), ms, fc.tuple(ms, ms, ms), (durationMs, firstByteMs, [dns, connect, tls]) => {
      const fetched = Object.fromEntries(
        Object.entries({ dnsMs: dns, connectMs: connect, tlsMs: tls }).filter(
          ([, value]) => value !== undefined,
        ),
      );
      const phases = phasesOf({ durationMs, ...(firstByteMs === undefined ? {} : { firstByteMs }), fetched });
      const sum = phases?.reduce((all, phase) => all + phase.ms, 0);
      expect(sum).toBe(durationMs);
      expect(phases?.every((phase) => phase.ms >= 0)).toBe(true);
    }),
  );
});

it('counts the tries that are not told of', () => {
  const one = { atMs: 1, reason: 'timeout', by: 'w' } as const;
  expect(untoldTries({ attempts: 1 })).toBe(0);
  expect(untoldTries({ attempts: 0 })).toBe(0);
  expect(untoldTries({ attempts: 4, tries: [one, one] })).toBe(1);
});
