import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SentReports } from '@webfarer/protocol/link';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { watchSyncs } from '../../../../test/durable/watch-syncs.ts';
import { openOutbox } from './outbox.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webfarer-outbox-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const frame = (n: number) => ({ reports: [], edges: `frame-${n}` }) as SentReports;
const path = () => join(folder, 'outbox.jsonl');

test('what was kept is there after a restart, in order, without what was acknowledged', async () => {
  const box = await openOutbox(path());
  for (const n of [1, 2, 3]) await box.add(frame(n), n);
  await box.shift();
  expect(box.first()).toEqual({ sent: frame(2), atMs: 2 });
  await box.close();
  const again = await openOutbox(path());
  expect(again.size).toBe(2);
  // How long ago it was made is not known to another process.
  expect(again.first()).toEqual({ sent: frame(2) });
  await again.shift();
  await again.shift();
  expect(again.first()).toBeUndefined();
  expect(await readFile(path(), 'utf8')).toBe('');
  await again.close();
});

test('a report is on disk before it counts as kept', async () => {
  const synced = await watchSyncs();
  const box = await openOutbox(path());
  for (const n of [1, 2]) {
    await box.add(frame(n), n);
    expect(synced.at(-1)?.content).toContain(`frame-${n}`);
  }
  await box.close();
});

test('a line that a crash cut short is left out, and the next one is whole', async () => {
  const box = await openOutbox(path());
  await box.add(frame(1), 1);
  await box.close();
  await appendFile(path(), '{"sent":{"reports":[],"edg');
  const again = await openOutbox(path());
  expect(again.size).toBe(1);
  await again.add(frame(2), 2);
  await again.close();
  const third = await openOutbox(path());
  expect(third.size).toBe(2);
  await third.close();
});

test('a full outbox takes no more until it was emptied, and loses nothing', async () => {
  const box = await openOutbox(path(), 50);
  await box.add(frame(1), 1);
  await box.add(frame(2), 2);
  let added = false;
  const waiting = box.add(frame(3), 3).then(() => {
    added = true;
  });
  await box.shift();
  expect(added).toBe(false);
  await box.shift();
  await waiting;
  expect(box.first()?.sent).toEqual(frame(3));
  await box.close();
});

test('who waits for room when it is closed is told', async () => {
  const box = await openOutbox(path(), 10);
  await box.add(frame(1), 1);
  const waiting = expect(box.add(frame(2), 2)).rejects.toMatchObject({ code: 'link-lost' });
  await box.close();
  await waiting;
});

test('a folder that cannot be written is storage trouble, with a next step', async () => {
  await expect(openOutbox(join(folder, 'missing', 'outbox.jsonl'))).rejects.toMatchObject({
    code: 'storage',
    next: expect.stringContaining('disk'),
  });
});
