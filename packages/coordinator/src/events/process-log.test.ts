import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatedClock, CrawlId, HostKey, PageRecord } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { createEventBus } from './event-bus.ts';
import { type LogOptions, openLog } from './process-log.ts';
import { rotatingFile } from './rotating-file.ts';

const clock: DatedClock = {
  now: () => Date.UTC(2026, 10, 17),
  wall: () => Date.UTC(2026, 10, 17),
  sleep: () => new Promise(() => undefined),
};
const a = 'a' as CrawlId;
const b = 'b' as CrawlId;
const recordOf = (url: string) =>
  ({ url, verdict: 'done', reason: 'ok', status: 200 }) as unknown as PageRecord;

function logged(options: Partial<LogOptions>): string[] {
  const lines: string[] = [];
  const bus = createEventBus({ clock, failed: (error) => expect.unreachable(String(error)) });
  const log = openLog({
    write: (line) => void lines.push(line),
    format: 'text',
    level: 'info',
    crawls: [],
    hosts: [],
    ...options,
  });
  const end = log.attach(bus, (id) => ({ a: 'news', b: 'shop' })[id]);
  bus.publish({ type: 'record', crawl: a, record: recordOf('http://one.test/x') });
  bus.publish({ type: 'record', crawl: b, record: recordOf('http://two.test/') });
  bus.publish({ type: 'host-waits', crawl: b, host: 'sub.two.test' as HostKey, why: 'backoff', forMs: 9 });
  bus.publish({ type: 'crawl-moving', crawl: b });
  bus.publish({ type: 'link-down', reason: 'redis://user:secret@h is away', outbox: 2 });
  end();
  bus.publish({ type: 'coordinator-stopped', id: 'x' });
  return lines;
}
const types = (lines: string[]) => lines.map((line) => line.split(' ')[2]);

it('writes one line for each event of its level or worse, with secrets masked', () => {
  expect(logged({ level: 'warn' })).toEqual([
    '2026-11-17T00:00:00.000Z warn link-down reason="redis://***@h is away" outbox=2\n',
  ]);
  expect(types(logged({}))).toEqual(['crawl-moving', 'link-down']);
  expect(logged({ level: 'error' })).toEqual([]);
  expect(JSON.parse(logged({ format: 'json', level: 'warn' })[0] ?? '')).toMatchObject({ type: 'link-down' });
});

it('leaves out events of other crawls and hosts, and keeps those that name none', () => {
  const debug = { level: 'debug' } as const;
  expect(logged({ ...debug, crawls: ['news'] })).toEqual([
    '2026-11-17T00:00:00.000Z debug record crawl=a record.url=http://one.test/x record.verdict=done record.reason=ok record.status=200\n',
    expect.stringContaining('link-down'),
  ]);
  expect(types(logged({ ...debug, crawls: ['b'] }))).toEqual([
    'record',
    'host-waits',
    'crawl-moving',
    'link-down',
  ]);
  expect(types(logged({ ...debug, hosts: ['one.test'] }))).toEqual(['record', 'crawl-moving', 'link-down']);
  expect(types(logged({ ...debug, hosts: ['*.two.test'] })).includes('host-waits')).toBe(true);
});

it('a file is kept aside when it is full, and as many of those as were asked for', () => {
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-log-'));
  try {
    const write = rotatingFile(join(folder, 'web.log'), { maxBytes: 10, keep: 2 });
    for (const n of [1, 2, 3, 4, 5, 6, 7]) write(`line${n}\n`);
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    expect(readdirSync(folder).toSorted()).toEqual(['web.1.log', 'web.2.log', 'web.log']);
    expect([read('web.log'), read('web.1.log'), read('web.2.log')]).toEqual([
      'line7\n',
      'line6\n',
      'line5\n',
    ]);
    rotatingFile(join(folder, 'web.log'), { maxBytes: 100, keep: 2 })('line8\n');
    expect(read('web.log')).toBe('line7\nline8\n');
    const only = rotatingFile(join(folder, 'only.log'), { maxBytes: 10, keep: 0 });
    for (const n of [1, 2]) only(`line${n}\n`);
    expect(read('only.log')).toBe('line2\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
