import type { FetchedFacts } from '@webfarer/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { packFetched, unpackFetched } from './fetched-text.ts';

const ms = fc.nat(1_000_000);
const waited = { by: fc.stringMatching(/^[\w.:-]{1,40}$/).filter((name) => name !== '-'), waitedMs: ms };
const facts = fc.oneof(
  fc.record({ ...waited, dnsMs: ms, connectMs: ms, tlsMs: ms }, { requiredKeys: [] }),
  fc.record({ ...waited, reused: fc.constant(true as const) }, { requiredKeys: ['reused'] }),
);

it('is what it was, whatever is known of a request', () => {
  fc.assert(
    fc.property(facts, (fetched) => {
      const record = { title: 'x', fetched: fetched as FetchedFacts };
      const stored = JSON.parse(JSON.stringify(packFetched(record))) as ReturnType<typeof packFetched>;
      expect(unpackFetched(stored)).toEqual(record);
    }),
  );
});

it('leaves a record alone that has nothing of it', () => {
  expect(packFetched({ title: 'x' } as { fetched?: FetchedFacts })).toEqual({ title: 'x' });
  expect(unpackFetched({ title: 'x' } as { f?: string })).toEqual({ title: 'x' });
});

it('is a third of what JSON would take', () => {
  const usual: FetchedFacts[] = [
    { by: 'worker', waitedMs: 1_204, reused: true },
    { by: 'worker', waitedMs: 31, dnsMs: 12, connectMs: 24, tlsMs: 41 },
  ];
  for (const fetched of usual) {
    const packed = JSON.stringify(packFetched({ fetched })).length;
    expect(packed / JSON.stringify({ fetched }).length).toBeLessThan(0.45);
  }
});
