import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CrawlId, type PageRecord, systemClock, type WorkerId } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createEventBus, type EventBus } from './event-bus.ts';
import { logEvents } from './event-log.ts';

let folder: string;
let bus: EventBus;
let failures: unknown[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-events-'));
  failures = [];
  bus = createEventBus({ clock: systemClock(), failed: (error) => failures.push(error) });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const lines = (name: string) =>
  readFileSync(join(folder, name), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

it('appends one object per line, also after a restart', () => {
  for (const id of ['a', 'b']) {
    const stop = logEvents(bus, folder);
    bus.publish({ type: 'coordinator-stopped', id });
    stop();
  }
  bus.publish({ type: 'coordinator-stopped', id: 'nobody logs' });
  expect(lines('events.jsonl')).toMatchObject([
    { type: 'coordinator-stopped', level: 'info', id: 'a' },
    { type: 'coordinator-stopped', level: 'info', id: 'b' },
  ]);
  expect(new Date(String(lines('events.jsonl')[0]?.at)).getTime()).toBeGreaterThan(0);
});

it('leaves out what happens with every page', () => {
  logEvents(bus, folder);
  const crawl = 'c' as CrawlId;
  bus.publish({ type: 'record', crawl, record: { url: 'http://a.test/' } as PageRecord });
  bus.publish({ type: 'crawl-moving', crawl });
  expect(lines('events.jsonl')).toMatchObject([{ type: 'crawl-moving', crawl: 'c' }]);
});

it('never takes more than twice its size', () => {
  logEvents(bus, folder, 1_000);
  for (let i = 0; i < 100; i++)
    bus.publish({ type: 'worker-left', worker: `w${i}` as WorkerId, reason: 'x'.repeat(50) });
  for (const name of ['events.jsonl', 'events.1.jsonl'])
    expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(1_000);
  expect(lines('events.jsonl').at(-1)).toMatchObject({ worker: 'w99' });
});

it('a disk that cannot be written does not stop the process', () => {
  logEvents(bus, join(folder, 'gone'));
  bus.publish({ type: 'coordinator-stopped', id: 'a' });
  expect(failures).toEqual([]);
});
