import type { Edge, PageRecord, Url } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { expect, it } from 'vitest';
import { judgeLinks } from './judge-links.ts';

const seed = 'http://a.example/' as Url;
const facts = { kind: 'page', depth: 1, attempt: 1, startedAtMs: 0, durationMs: 1 };
const record = (url: string, more: Partial<PageRecord>) =>
  ({ ...facts, url: url as Url, ...more }) as PageRecord;
const dead = { verdict: 'failed', reason: 'host-dead', detail: '5 failed rounds' } as const;

async function judge(records: PageRecord[]) {
  async function* all<T>(list: T[]): AsyncIterable<T> {
    yield* list;
  }
  const edges = records.map(({ url }): Edge => ({ to: url, rel: 'a' }) as Edge);
  const job = resolveJob({ seeds: [seed], contact: 'me@lab.test', scope: { stay: 'web' } });
  const crawl = { job, seeds: [seed], state: 'finished' as const };
  return await judgeLinks(
    { ...crawl, records: () => all(records), edges: () => all([{ from: seed, edges }]) },
    { accepted: new Set() },
  );
}

it('a link to a host that stopped answering was not checked', async () => {
  const { broken, unchecked, good } = await judge([
    record(seed, { verdict: 'done', reason: 'ok', status: 200 }),
    record(`${seed}later`, dead),
  ]);
  expect([broken, good]).toEqual([[], [seed]]);
  expect(unchecked).toMatchObject([{ url: `${seed}later`, reason: 'host-dead' }]);
});

it('a link to a host that never answered is broken', async () => {
  const gone = 'http://gone.example/';
  const { broken } = await judge([
    record(seed, { verdict: 'done', reason: 'ok', status: 200 }),
    record(gone, dead),
  ]);
  expect(broken).toMatchObject([{ url: gone, reason: 'host-dead' }]);
});
