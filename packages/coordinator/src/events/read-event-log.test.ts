import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CrawlId, systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createEventBus } from './event-bus.ts';
import { logEvents } from './event-log.ts';
import { openEventLog } from './read-event-log.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-log-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const all = { limit: 100, level: 'info' } as const;

it('reads what was logged, by crawl and level, oldest first, across the files and half a line', async () => {
  const events = createEventBus({ clock: systemClock(), failed: () => undefined });
  // So small that the log begins a second file.
  logEvents(events, folder, 400);
  const crawl = 'c1' as CrawlId;
  events.publish({ type: 'coordinator-started', id: 'a', url: 'http://a', version: '1' });
  events.publish({ type: 'crawl-state', crawl, name: 'x', state: 'running' });
  events.publish({
    type: 'crawl-paused',
    crawl,
    pause: { cause: 'disk', text: 'the disk is full' },
    times: 1,
  });
  events.publish({ type: 'crawl-state', crawl: 'c2' as CrawlId, name: 'y', state: 'running' });
  appendFileSync(join(folder, 'events.jsonl'), '{"type":"crawl-st');
  const log = openEventLog(folder);
  const types = async (query: Parameters<typeof log.read>[0]) =>
    (await log.read(query)).map(({ type }) => type);
  expect(await types(all)).toEqual(['coordinator-started', 'crawl-state', 'crawl-paused', 'crawl-state']);
  expect(await types({ ...all, crawl })).toEqual(['crawl-state', 'crawl-paused']);
  expect(await types({ ...all, level: 'warn' })).toEqual(['crawl-paused']);
  expect(await types({ ...all, limit: 1 })).toEqual(['crawl-state']);
  expect((await log.read({ ...all, limit: 1 }))[0]).toMatchObject({ crawl: 'c2', level: 'info' });
});

it('is empty where nothing was logged', async () => {
  expect(await openEventLog(folder).read(all)).toEqual([]);
});
