import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { networkProcess } from '../network/process.ts';
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

/** A coordinator that also fetches, in a process of its own. */
async function withCoordinator(
  name: string,
  use: (at: { url: string; data: string; cwd: string }) => Promise<void>,
): Promise<void> {
  const cwd = join(folder, name);
  mkdirSync(cwd);
  const data = join(cwd, 'webfarer-coordinator');
  const listening = /^Listening on (\S+)$/m;
  const coordinator = networkProcess({
    name: 'coordinator',
    folder: data,
    words: () => ['coordinator', '--data', data, '--with-worker', '--listen', '127.0.0.1:0'],
    atWork: (printed) => listening.test(printed),
  });
  await coordinator.start();
  try {
    await use({ url: listening.exec(coordinator.output())?.[1] ?? '', data, cwd });
  } finally {
    await coordinator.kill();
  }
}

const shopUrls = () =>
  [...Object.keys(shopPages), '/about', '/cart/add?id=1'].map((path) => site.origin + path);
const urlsIn = (file: string) =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { kind: string; url: string })
    .filter(({ kind }) => kind === 'record')
    .map(({ url }) => url)
    .toSorted();

it('python/crawl.py starts, watches and reads a crawl, and continues after an interruption', async () => {
  await withCoordinator('python', async ({ url, data, cwd }) => {
    const words = [join(examples, 'python/crawl.py'), url, join(data, 'operator.token')];
    const crawl = [...words, 'shop', `${site.origin}/`, site.origin];
    const { stdout } = await run('python3', crawl, { cwd });
    expect(stdout).toMatch(/(running|finished): \d+ of \d+ known URLs done/);
    expect(stdout).toContain('finished; the results are in shop.jsonl');
    const results = join(cwd, 'shop.jsonl');
    expect(urlsIn(results)).toEqual(shopUrls().toSorted());
    // As a crash in the middle of a line would leave it.
    const text = readFileSync(results, 'utf8');
    const asked = site.asked.length;
    writeFileSync(results, text.slice(0, text.length / 2));
    await run('python3', crawl, { cwd });
    expect(readFileSync(results, 'utf8')).toBe(text);
    expect(site.asked.length).toBe(asked);
    const refused = run('python3', [...words, 'other', 'ftp://example.org/'], { cwd });
    await expect(refused).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('seeds') as string,
    });
  });
});

it('curl.md runs as it stands, step by step', async () => {
  await withCoordinator('curl', async ({ url, cwd }) => {
    const page = readFileSync(join(examples, 'curl.md'), 'utf8');
    const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
    expect(blocks.length).toBeGreaterThan(8);
    const script = blocks
      .join('')
      .replace('http://127.0.0.1:7311', url)
      .replaceAll('https://example.org/', `${site.origin}/`)
      .replace('gap: 1s }', `gap: 10ms }\nfetch: { allowPrivate: ['${site.origin}'] }`)
      .replace('"seeds": [', `"fetch": {"allowPrivate": ["${site.origin}"]}, "seeds": [`);
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd });
    expect(stdout).toContain('event: snapshot');
    expect(stdout).toContain('at 04:30 on Monday (Europe/Paris)');
    expect(urlsIn(join(cwd, 'results.jsonl'))).toEqual(shopUrls().toSorted());
    expect(readFileSync(join(cwd, 'outcome.jsonl'), 'utf8')).toContain(site.origin);
    // A refused step ends the script: nothing of the above is there by luck.
    const broken = script.replace('/v1/whoami', '/v1/whoareyou');
    const refused = run('bash', ['-euo', 'pipefail', '-c', broken], { cwd });
    await expect(refused).rejects.toMatchObject({ code: 22 });
  });
});
