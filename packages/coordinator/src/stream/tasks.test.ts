import type { CrawlId, LeaseId, LeaseRef, WorkerId } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import type { LiveLease } from '../link/lease-roster.ts';
import { tasksOf } from './tasks.ts';

const crawls = () =>
  ['a', 'b'].map((name) => ({ id: `id-${name}` as CrawlId, name, state: 'running' as const }));

function lease(crawl: string, host: string, sinceMs: number): LiveLease {
  const [id, worker] = [`${crawl} ${host}` as LeaseId, 'w1' as WorkerId];
  const ref = { id, crawl: `id-${crawl}`, host } as unknown as LeaseRef;
  return { id, worker, holder: worker, session: 's', sinceMs, ref, urls: 1, entries: new Map() };
}

it('shows crawls, and below each the hosts that workers have', () => {
  const leases = () => [lease('a', 'x.test', 20), lease('a', 'y.test', 10), lease('gone', 'z.test', 1)];
  const all = tasksOf({ crawls, leases }, undefined);
  expect([...all.keys()]).toEqual(['crawl a', 'crawl b', 'host y.test of a', 'host x.test of a']);
  expect(all.get('crawl a')).toEqual({ kind: 'crawl', name: 'a', state: 'running', hosts: 2 });
  expect(all.get('host x.test of a')).toEqual({
    kind: 'host',
    within: 'crawl a',
    host: 'x.test',
    worker: 'w1',
    sinceMs: 20,
  });
  expect([...tasksOf({ crawls, leases }, 'id-b' as CrawlId).keys()]).toEqual(['crawl b']);
});

it('shows the hosts that workers have had longest where there are very many, and counts all', () => {
  const leases = () => Array.from({ length: 2_000 }, (_, n) => lease('a', `h${n}.test`, 10_000 - n));
  const tasks = tasksOf({ crawls, leases }, undefined);
  expect(tasks.size).toBe(502);
  expect(tasks.has('host h1999.test of a')).toBe(true);
  expect(tasks.get('crawl a')).toMatchObject({ hosts: 2_000 });
});
