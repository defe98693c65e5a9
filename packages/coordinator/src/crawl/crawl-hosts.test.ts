import type { HostKey, HostWait } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { expect, it } from 'vitest';
import { hostRuling } from '../host-rules/host-ruling.ts';
import { settableRules, tableOf } from '../host-rules/host-rules.ts';
import { crawlHosts } from './crawl-hosts.ts';

const wait = (host: string, changes: Partial<HostWait> = {}): HostWait => ({
  host: host as HostKey,
  queued: 1,
  dueInMs: 0,
  why: 'gap',
  dead: false,
  ...changes,
});

it('tells what each host waits for, and which rule holds for it', () => {
  const rules = settableRules();
  const set = { by: 'ada', atMs: 1 };
  rules.set(
    tableOf({
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
  const shown = crawlHosts({ held, waiting }, ruling);
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
