import type { CrawlId } from '@webfarer/protocol';
import type { LinkCrawl } from '@webfarer/protocol/link';
import type { LinkState } from '@webfarer/worker';
import { expect, it } from 'vitest';
import type { Terminal } from '../../terminal/terminal.ts';
import { lookWords, speaker } from './worker.ts';

function spoken(options: Parameters<typeof speaker>[1] = {}) {
  const lines: string[] = [];
  const terminal = { out: (text: string) => lines.push(text.trim()) } as unknown as Terminal;
  return { lines, say: speaker({ terminal }, options) };
}

const link = (connected: boolean, lastError?: string): LinkState => ({
  connected,
  everConnected: true,
  sinceMs: 0,
  attempts: 0,
  outbox: 0,
  url: 'http://c:7311',
  ...(lastError === undefined ? {} : { lastError }),
});
const crawls = (state: string) => [{ job: { name: 'shop' }, state }] as unknown as LinkCrawl[];

it('says once that the coordinator has exited after its last crawl, however the next tries fail', () => {
  const { lines, say } = spoken();
  say.link(link(true));
  say.crawls(crawls('finished'), true);
  for (const why of [
    'the coordinator said goodbye',
    'connect ECONNREFUSED',
    'timed out',
    'connect ECONNREFUSED',
  ])
    say.link(link(false, why));
  expect(lines).toEqual([
    'connected to http://c:7311',
    '1 crawl: shop (finished)',
    'every crawl is over and the coordinator has exited; waiting for another one',
  ]);
  say.link(link(true));
  say.link(link(false, 'gone again'));
  expect(lines.slice(3)).toEqual([
    'connected to http://c:7311',
    'every crawl is over and the coordinator has exited; waiting for another one',
  ]);
});

it('says every new reason while there is work', () => {
  const { lines, say } = spoken({ quiet: true });
  say.crawls(crawls('running'), false);
  for (const why of ['a', 'a', 'b']) say.link(link(false, why));
  expect(lines).toEqual(['not connected: a; retrying', 'not connected: b; retrying']);
});

it('says that it waits where it has no crawl, and what it does where it has one', () => {
  const idle = { link: link(true), inFlight: 0, held: 0, pages: 0, waiting: [], written: [] };
  const written = [{ crawl: 'c' as CrawlId, files: 0, bytes: 0, open: true }];
  expect(lookWords(idle, [])).toBe('waiting for work');
  expect(lookWords({ ...idle, pages: 7 }, [])).toBe('7 pages   waiting for work');
  expect(lookWords({ ...idle, written }, [])).toBe('0 pages   in flight 0');
});
