import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type LineTable, openLineTable } from './line-table.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-lines-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function tableOf(lines: object[], torn = ''): Promise<LineTable> {
  const path = join(folder, 'lines.jsonl');
  writeFileSync(path, `${lines.map((line) => `${JSON.stringify(line)}\n`).join('')}${torn}`);
  const table = await openLineTable(path);
  if (!table) throw new Error('no table');
  return table;
}

it('is absent where there is no file', async () => {
  expect(await openLineTable(join(folder, 'none.jsonl'))).toBeUndefined();
});

it('finds each of many lines once, and the last one about a URL', async () => {
  const count = 5_000;
  const url = (n: number) => `https://example.org/${n}?é`;
  const line = (n: number, round: number) => ({ url: url(n), n, round, pad: 'x'.repeat(n % 90) });
  const rounds = [0, 1].flatMap((round) => Array.from({ length: count }, (_, n) => line(n, round)));
  const table = await tableOf(rounds);
  expect(table.size).toBe(2 * count);
  const wrong: number[] = [];
  for (let n = 0; n < count; n++) {
    const found = (await table.take(url(n))) as { n: number; round: number } | undefined;
    if (found?.n !== n || found.round !== 1) wrong.push(n);
  }
  expect(wrong).toEqual([]);
  expect(await table.take(url(1))).toBeUndefined();
  expect(await table.take('https://example.org/other')).toBeUndefined();
});

it('leaves out a line that a crash has torn, and reads one that is longer than a buffer', async () => {
  const long = { url: 'https://example.org/long', text: 'y'.repeat(200_000) };
  const table = await tableOf([long], '{"url":"https://example.org/torn"');
  expect(await table.take(long.url)).toEqual(long);
  expect(await table.take('https://example.org/torn')).toBeUndefined();
});
