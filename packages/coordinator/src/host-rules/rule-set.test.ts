import type { HostKey } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { describe, expect, it } from 'vitest';
import { hostRuling } from './host-ruling.ts';
import { settableRules, tableOf } from './host-rules.ts';
import { rulingOf } from './rule-set.ts';

const set = { by: 'ada', atMs: 1 };
const out = { reason: 'please leave us alone', contact: 'owner@b.example', date: '2026-11-16', ...set };
const host = (text: string) => text as HostKey;

describe('a table of host rules', () => {
  const table = tableOf({
    rules: [
      { id: '*.a.example', value: { block: true, note: 'a trap', ...set } },
      { id: 'www.a.example', value: { block: false, ...set } },
      { id: 'b.example', value: { gapMs: 60_000, block: false, ...set } },
      { id: '*.c.example', value: { gapMs: 5_000, ...set } },
      { id: 'x.c.example', value: { gapMs: 1_000, ...set } },
      { id: 'broken.example', value: { gapMs: -1, ...set } },
    ],
    optOuts: [
      { id: '*.b.example', value: out },
      { id: 'lost.example', value: 'not what was written' },
    ],
  });

  it.each([
    ['other.example', undefined],
    ['a.example', 'blocked'],
    ['deep.down.a.example', 'blocked'],
    // The exception is for this host alone.
    ['www.a.example', undefined],
    ['sub.www.a.example', 'blocked'],
    ['lost.example', 'opt-out'],
    ['c.example', 5_000],
    ['x.c.example', 1_000],
    ['y.x.c.example', 5_000],
    ['broken.example', undefined],
  ])('says of %s: %s', (name, expected) => {
    const ruling = rulingOf(table, host(name));
    expect(ruling?.kind === 'refuse' ? ruling.reason : ruling?.gapMs).toBe(expected);
  });

  it('puts the opt-out of a domain before any rule for one of its hosts', () => {
    expect(rulingOf(table, host('b.example'))).toMatchObject({ kind: 'refuse', reason: 'opt-out' });
  });

  it('says which rule it was, and who set it', () => {
    expect(rulingOf(table, host('x.a.example'))?.rule).toBe(
      'the host rule *.a.example blocks it, set by ada: a trap',
    );
    expect(rulingOf(table, host('c.example'))?.rule).toBe(
      'the host rule *.c.example asks for 5s between requests, set by ada',
    );
    expect(rulingOf(table, host('b.example'))?.rule).toBe(
      'the owner of *.b.example opted out on 2026-11-16, recorded by ada: please leave us alone',
    );
  });
});

describe('how a host is treated in a crawl', () => {
  const rules = settableRules();
  const job = resolveJob({
    seeds: ['a.example'],
    politeness: {
      gap: '2s',
      ownHosts: ['own.example'],
      hosts: [
        { match: 'own.example', gap: '100ms', connections: 4 },
        { match: 'no.example', block: true },
      ],
    },
  });
  const ruling = hostRuling(rules, () => job);

  it('is as the job says, but never more often than a rule allows', () => {
    // The job keeps a shorter pause elsewhere, which is what the frontier knows.
    expect(ruling.of(host('a.example'))).toEqual({ kind: 'pace', pace: { gapMs: 2_000, connections: 1 } });
    expect(ruling.of(host('own.example'))).toEqual({ kind: 'pace', pace: { gapMs: 100, connections: 4 } });
    expect(ruling.of(host('no.example'))).toMatchObject({ kind: 'refuse', reason: 'blocked' });
    rules.set(
      tableOf({
        rules: [
          { id: '*.example', value: { gapMs: 1_000, ...set } },
          { id: 'no.example', value: { block: false, ...set } },
        ],
        optOuts: [{ id: 'gone.example', value: out }],
      }),
    );
    // A rule only makes pauses longer: the job asks for 2 s here.
    expect(ruling.of(host('a.example'))).toEqual({ kind: 'pace', pace: { gapMs: 2_000, connections: 1 } });
    expect(ruling.of(host('own.example'))).toMatchObject({ pace: { gapMs: 1_000, connections: 4 } });
    expect(ruling.of(host('no.example'))).toMatchObject({ kind: 'refuse', reason: 'blocked' });
    expect(ruling.of(host('gone.example'))).toMatchObject({ kind: 'refuse', reason: 'opt-out' });
  });

  it('tells which patterns have changed', () => {
    const told: (readonly string[])[] = [];
    const stop = rules.onChange((patterns) => told.push(patterns));
    const table = tableOf({
      rules: [{ id: '*.example', value: { gapMs: 3_000, ...set } }],
      optOuts: [{ id: 'gone.example', value: out }],
    });
    rules.set(table);
    rules.set({ ...table, optOuts: new Map(table.optOuts) });
    expect(told).toEqual([['*.example', 'no.example']]);
    stop();
    rules.set(tableOf({ rules: [], optOuts: [] }));
    expect(told).toHaveLength(1);
    expect(rules.isEmpty()).toBe(true);
  });
});
