import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SmallSite, shopPages, startSmallSite } from './small-site.ts';

const run = promisify(execFile);
const examples = resolve(import.meta.dirname, '../../examples');
const command = resolve(import.meta.dirname, '../../packages/cli/src/bin.ts');
let site: SmallSite;
let folder: string;

beforeAll(async () => {
  site = await startSmallSite(shopPages);
  folder = mkdtempSync(join(tmpdir(), 'webfarer-examples-'));
});
afterAll(async () => {
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('shop.ts collects the products of a shop', { timeout: 60_000 }, async () => {
  const { stdout } = await run(
    process.execPath,
    [join(examples, 'shop.ts'), `${site.origin}/`, site.origin],
    { cwd: folder },
  );
  expect(stdout).toContain('Hammer: 12.5');
  expect(stdout).toContain('5 pages, 0 failed');
});

it('titles.yml runs with its scraper', { timeout: 60_000 }, async () => {
  const job = readFileSync(join(examples, 'titles.yml'), 'utf8')
    .replace('https://example.org/', `${site.origin}/`)
    .replace('./titles.ts', join(examples, 'titles.ts'))
    .replace('gap: 1s', 'gap: 10ms');
  writeFileSync(join(folder, 'titles.yml'), `${job}fetch: { allowPrivate: ['${site.origin}'] }\n`);
  await run(process.execPath, [command, 'run', 'titles.yml'], { cwd: folder });
  const items = readFileSync(join(folder, 'titles.crawl', 'items.jsonl'), 'utf8')
    .trim()
    .split('\n');
  expect(items.length).toBeGreaterThanOrEqual(5);
});

it('embed.ts runs two crawls in one program', { timeout: 60_000 }, async () => {
  const { stdout } = await run(
    process.execPath,
    [join(examples, 'embed.ts'), `${site.origin}/`, `${site.origin}/category/tools`, site.origin],
    { cwd: folder },
  );
  expect(stdout).toBe('first: 7 pages\nsecond: 4 pages\n');
});
