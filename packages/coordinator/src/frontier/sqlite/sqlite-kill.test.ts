import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { collect, crawlA } from '../suite/world.fixture.ts';
import { openSqliteFrontier } from './sqlite-frontier.ts';
import { verifyFile } from './verify.fixture.ts';

const program = join(import.meta.dirname, 'busy-crawl.fixture.ts');

/** Runs the crawl until it has said that much, and kills it. Answers the URLs it said were settled. */
async function crawlAndKill(file: string, lines: number): Promise<string[]> {
  const child = spawn(process.execPath, [program, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (data: Buffer) => {
    said += data.toString();
    if (said.split('\n').length > lines) child.kill('SIGKILL');
  });
  await once(child, 'close');
  return said.split('\n').slice(0, -1);
}

describe('a crawl that is killed', () => {
  it('has everything it said was done, once, and all its numbers agree', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'webfarer-kill-'));
    const file = join(folder, 'frontier.db');
    const said: string[] = [];
    for (let round = 1; round <= 4; round++) {
      said.push(...(await crawlAndKill(file, 150 * round)));
      expect(verifyFile(file).settled).toBeGreaterThanOrEqual(said.length);
    }
    expect(new Set(said).size).toBe(said.length);
    const clock = { now: () => 0, wall: () => 0, sleep: () => Promise.resolve() };
    const frontier = openSqliteFrontier({ path: file, clock, readOnly: true });
    const records = await collect(frontier.results.records(crawlA));
    const items = await collect(frontier.results.items(crawlA));
    const urls = records.map((record) => record.url as string);
    expect(new Set(urls).size).toBe(urls.length);
    expect(items.map((item) => item.url as string)).toEqual(urls);
    expect(said.filter((url) => !urls.includes(url))).toEqual([]);
    // Every settled page has had its links queued: the made-up web is a binary tree.
    const { known } = await frontier.balance(crawlA);
    expect(known).toBe(2 * records.length + 1);
    await frontier.close();
    rmSync(folder, { recursive: true, force: true });
  });
});
