import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openEventLog } from './event-log.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-events-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const lines = (name: string) =>
  readFileSync(join(folder, name), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

it('writes one object a line, and goes on after a restart', () => {
  for (const id of ['a', 'b']) openEventLog(folder, systemClock()).log('coordinator-stopped', { id });
  expect(lines('events.jsonl')).toMatchObject([
    { event: 'coordinator-stopped', level: 'info', id: 'a' },
    { event: 'coordinator-stopped', level: 'info', id: 'b' },
  ]);
  expect(new Date(String(lines('events.jsonl')[0]?.at)).getTime()).toBeGreaterThan(0);
});

it('never takes more than twice its size', () => {
  const log = openEventLog(folder, systemClock(), 1_000);
  for (let i = 0; i < 100; i++) log.log('worker-left', { worker: `w${i}`, reason: 'x'.repeat(50) });
  for (const name of ['events.jsonl', 'events.1.jsonl'])
    expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(1_000);
  expect(lines('events.jsonl').at(-1)).toMatchObject({ worker: 'w99' });
});

it('a disk that refuses does not end what it tells of', () => {
  const log = openEventLog(join(folder, 'gone'), systemClock());
  expect(() => log.log('coordinator-stopped', { id: 'a' })).not.toThrow();
});
