import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CommitQueue, createCommitQueue } from './commit-queue.ts';
import { sqlite } from '../../sqlite/node-sqlite.ts';

const quiet = { undone: () => undefined, committed: () => undefined, failpoint: () => undefined };

/** As good as for ever: whatever is not hastened would outlast the test. */
const gatherMs = 3_600_000;
const patient = { patient: true };

function queueOn(): { queue: CommitQueue; commits: () => number } {
  let commits = 0;
  const db = new (sqlite().DatabaseSync)(':memory:');
  const queue = createCommitQueue({ db, gatherMs, flush: () => void commits++, ...quiet });
  return { queue, commits: () => commits };
}

async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve));
}

describe('work that nobody waits for', () => {
  it('is committed at once where it comes alone', async () => {
    const { queue } = queueOn();
    expect(await queue.run(() => 'a', patient)).toBe('a');
  });

  it('waits for more after that, and shares the transaction of what somebody waits for', async () => {
    const { queue, commits } = queueOn();
    await queue.run(() => 'a', patient);
    const later = [queue.run(() => 'b', patient), queue.run(() => 'c', patient)];
    await turns(20);
    expect(commits()).toBe(1);
    expect(await queue.run(() => 'd')).toBe('d');
    expect(await Promise.all(later)).toEqual(['b', 'c']);
    expect(commits()).toBe(2);
  });

  it('is committed before the store is closed', async () => {
    const { queue } = queueOn();
    await queue.run(() => 'a', patient);
    const last = queue.run(() => 'b', patient);
    await queue.close();
    expect(await last).toBe('b');
  });
});

it('keeps nobody waiting who waits', async () => {
  const { queue, commits } = queueOn();
  for (let n = 0; n < 10; n++) expect(await queue.run(() => n)).toBe(n);
  expect(commits()).toBe(10);
});

it('answers only when others see what was committed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-commit-'));
  const file = join(folder, 'queue.db');
  const { DatabaseSync } = sqlite();
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE found (n INTEGER)');
  const other = new DatabaseSync(file, { readOnly: true });
  const seen = () => (other.prepare('SELECT count(*) AS n FROM found').get() as { n: number }).n;
  const queue = createCommitQueue({ db, flush: () => undefined, ...quiet });
  for (let n = 1; n <= 5; n++) {
    await queue.run(() => db.exec(`INSERT INTO found VALUES (${n})`));
    expect(seen()).toBe(n);
  }
  await queue.close();
  other.close();
  db.close();
  rmSync(folder, { recursive: true });
});
