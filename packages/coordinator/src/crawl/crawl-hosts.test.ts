import type { CrawlId, HostKey, HostSums, HostWait } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { expect, it } from 'vitest';
import { hostRuling } from '../host-rules/host-ruling.ts';
import { settableRules, tablesOf } from '../host-rules/host-rules.ts';
import { crawlHosts } from './crawl-hosts.ts';

const [crawl, none] = ['lab' as CrawlId, { pages: 0, bytes: 0, troubles: 0 }];
const wait = (host: string, changes: Partial<HostWait> = {}): HostWait => ({
  host: host as HostKey,
  queued: 1,
  dueInMs: 0,
  why: 'gap',
  dead: false,
  ...changes,
});

/** A store with these hosts, and the sums of others. */
const storeOf = (waiting: HostWait[], sums: [string, HostSums][] = []) => ({
  waiting: async () => waiting.map((each) => ({ ...none, ...each })),
  hostSums: async (_: CrawlId, hosts: readonly HostKey[]) =>
    new Map((sums as [HostKey, HostSums][]).filter(([host]) => hosts.includes(host))),
});
const unruled = { of: () => undefined };

it('tells what each host waits for, and which rule holds for it', async () => {
  const rules = settableRules();
  const set = { by: 'ada', atMs: 1 };
  rules.set(
    tablesOf({
      rules: [
        { id: 'slow.example', value: { gapMs: 60_000, ...set } },
        { id: 'no.example', value: { block: true, ...set } },
      ],
      optOuts: [],
    }),
  );
  const ruling = hostRuling(rules, () => resolveJob({ seeds: ['a.example'] }));
  const held = [wait('held.example', { dueInMs: 300, queued: 4 })];
  const waiting = [
    wait('due.example'),
    wait('no.example'),
    wait('held.example', { why: 'held', dueInMs: 90_000 }),
    wait('slow.example', { why: 'rule', dueInMs: 20_000 }),
    wait('dead.example', { dead: true, dueInMs: 30_000 }),
  ];
  const shown = await crawlHosts(crawl, { frontier: storeOf(waiting), held, limit: 9, ruling });
  expect(shown.map(({ host, state, dueInMs }) => [host, state, dueInMs])).toEqual([
    ['due.example', 'due', 0],
    ['no.example', 'refused', 0],
    ['held.example', 'held', 300],
    ['slow.example', 'waiting', 20_000],
    ['dead.example', 'dead', 30_000],
  ]);
  expect(shown[1]?.rule).toContain('blocks it, set by ada');
  expect(shown[3]?.rule).toContain('asks for 1m between requests, set by ada');
});

it('counts what the store has queued of a held host, and what its worker holds', async () => {
  const waiting = [wait('held.example', { why: 'held', dueInMs: 90_000, queued: 4_411 })];
  const held = [wait('held.example', { dueInMs: 300, queued: 2 }), wait('emptied.example', { queued: 1 })];
  const shown = await crawlHosts(crawl, { frontier: storeOf(waiting), held, limit: 9, ruling: unruled });
  expect(shown.map(({ host, queued }) => [host, queued])).toEqual([
    ['emptied.example', 1],
    ['held.example', 4_413],
  ]);
});

it('tells what the crawl has of each host, also of those that only workers know', async () => {
  const [some, more] = [
    { pages: 7, bytes: 900, troubles: 0 },
    { pages: 40, bytes: 5_000, troubles: 2 },
  ];
  const frontier = storeOf(
    [wait('due.example', some), wait('held.example', more)],
    [['emptied.example', some]],
  );
  const held = [
    wait('held.example', { dueInMs: 5 }),
    wait('emptied.example', { dueInMs: 6 }),
    wait('new.example', { dueInMs: 7 }),
  ];
  const shown = await crawlHosts(crawl, { frontier, held, limit: 9, ruling: unruled });
  expect(shown.map(({ host, pages, bytes, troubles }) => [host, { pages, bytes, troubles }])).toEqual([
    ['due.example', some],
    ['held.example', more],
    ['emptied.example', some],
    ['new.example', none],
  ]);
});
