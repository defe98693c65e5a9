import type { CrawlId, HostKey } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { describe, expect, it } from 'vitest';
import { hostRuling } from './host-ruling.ts';
import { obeyRules } from './follow-rules.ts';
import { type RuleChange, settableRules, tablesOf } from './host-rules.ts';
import { rulingOf } from './rule-set.ts';

const set = { by: 'ada', atMs: 1 };
const out = { reason: 'please leave us alone', contact: 'owner@b.example', date: '2026-11-16', ...set };
const host = (text: string) => text as HostKey;

describe('a table of host rules', () => {
  const table = tablesOf({
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
      tablesOf({
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

  it('tells which patterns have changed, and the rules of which teams', () => {
    const told: RuleChange[] = [];
    const stop = rules.onChange((change) => told.push(change));
    const docs = {
      rules: [{ id: '*.example', value: { gapMs: 3_000, ...set } }],
      optOuts: [{ id: 'gone.example', value: out }],
    };
    rules.set(tablesOf(docs));
    rules.set(tablesOf(docs));
    const own = { id: 'x.example red', value: { block: true, ...set } };
    rules.set(tablesOf({ ...docs, rules: [...docs.rules, own] }));
    expect(told).toEqual([
      { patterns: ['*.example', 'no.example'], teams: [] },
      { patterns: [], teams: ['red'] },
    ]);
    stop();
    rules.set(tablesOf({ rules: [], optOuts: [] }));
    expect(told).toHaveLength(2);
    expect(rules.isEmpty('red')).toBe(true);
  });
});

describe('the rules of a team', () => {
  const rules = settableRules();
  rules.set(
    tablesOf({
      rules: [
        { id: 'blocked.example', value: { block: true, ...set } },
        { id: 'slow.example', value: { gapMs: 9_000, ...set } },
        { id: 'blocked.example red', value: { block: false, ...set } },
        { id: 'slow.example red', value: { gapMs: 1_000, ...set } },
        { id: 'own.example red', value: { block: true, ...set } },
        { id: 'paced.example red', value: { gapMs: 20_000, ...set } },
      ],
      optOuts: [{ id: '*.left.example red', value: out }],
    }),
  );
  const standing = (name: string, team?: string) => {
    const ruling = rules.of(host(name), team);
    return ruling?.kind === 'refuse' ? ruling.reason : ruling?.gapMs;
  };

  it.each([
    ['own.example', 'blocked'],
    ['paced.example', 20_000],
    ['www.left.example', 'opt-out'],
  ])('hold for %s in its own crawls and nowhere else', (name, expected) => {
    expect(standing(name, 'red')).toBe(expected);
    expect(standing(name, 'blue')).toBeUndefined();
    expect(standing(name)).toBeUndefined();
    const job = (team?: string) =>
      resolveJob({ seeds: ['a.example'], ...(team === undefined ? {} : { team }) });
    const treatment = (team?: string) => hostRuling(rules, () => job(team)).of(host(name));
    expect(treatment('red')).toBeDefined();
    expect([treatment('blue'), treatment()]).toEqual([undefined, undefined]);
  });

  it('make nothing weaker that holds in all crawls', () => {
    expect(standing('blocked.example', 'red')).toBe('blocked');
    expect(standing('slow.example', 'red')).toBe(9_000);
  });

  it('are told with the team', () => {
    expect(rules.of(host('own.example'), 'red')?.rule).toBe(
      'the host rule own.example of the team red blocks it, set by ada',
    );
    expect(rules.of(host('left.example'), 'red')?.rule).toBe(
      'the owner of *.left.example opted out of the crawls of the team red on 2026-11-16, recorded by ada: please leave us alone',
    );
  });

  it('disturb its own crawls alone when they change', () => {
    const orders: string[] = [];
    const pool = {
      release: (crawl: string) => void orders.push(crawl),
      releaseHosts: (patterns: readonly string[]) => void orders.push(...patterns),
      wake: () => undefined,
    };
    const crawls = [
      { id: 'of red' as CrawlId, job: { team: 'red' } },
      { id: 'of none' as CrawlId, job: {} },
    ];
    const changing = settableRules();
    obeyRules(changing, pool, () => crawls);
    const rule = (id: string) => ({ id, value: { block: true, ...set } });
    changing.set(tablesOf({ rules: [rule('x.example red')], optOuts: [] }));
    expect(orders).toEqual(['of red']);
    changing.set(tablesOf({ rules: [rule('x.example red'), rule('y.example')], optOuts: [] }));
    expect(orders).toEqual(['of red', 'y.example']);
    changing.set(tablesOf({ rules: [rule('x.example red'), rule('y.example default')], optOuts: [] }));
    expect(orders).toEqual(['of red', 'y.example', 'y.example', 'of none']);
  });
});
