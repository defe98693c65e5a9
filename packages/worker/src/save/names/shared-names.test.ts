import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { NameRegistry } from './name-registry.ts';
import { SharedNames } from './shared-names.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-names-'));
  path = join(folder, '.names');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('gives a name to the first of several, and others one of their own', async () => {
  const [one, two] = [await SharedNames.open(path), await SharedNames.open(path)];
  const [a, b] = [one.claim('x/page', 'http://a.test/page'), two.claim('x/page', 'http://b.test/page')];
  expect(a).toBe('x/page');
  expect(b).not.toBe(a);
  expect([two.claim('x/page', 'http://a.test/page'), one.claim('x/page', 'http://b.test/page')]).toEqual([
    a,
    b,
  ]);
  // A file stands where the other wants a folder.
  expect(two.claim('x/page/deep', 'http://a.test/page/deep')).toBe('x/page~/deep');
  await Promise.all([one.close(), two.close()]);
  // Whoever comes later, alone, reads the same.
  const alone = await NameRegistry.open(path);
  expect(alone.claim('x/page', 'http://b.test/page')).toBe(b);
  await alone.close();
});

it('a line that a full disk tore costs neither the names before nor those behind it', async () => {
  const one = await SharedNames.open(path);
  const before = one.claim('page', 'http://a.test/');
  appendFileSync(path, '0123456789ab 01');
  const two = await SharedNames.open(path);
  const behind = two.claim('page', 'http://b.test/');
  await Promise.all([one.close(), two.close()]);
  for (const names of [await SharedNames.open(path), await NameRegistry.open(path)]) {
    expect(names.claim('page', 'http://b.test/')).toBe(behind);
    expect(names.claim('page', 'http://a.test/')).toBe(before);
    expect(names.claim('page', 'http://c.test/')).not.toBe(behind);
    await names.close();
  }
});

const threads = 4;
const wishes = 200;
/** All want the same names at the same time, each for URLs of its own. */
const contender = `
  import { parentPort, workerData } from 'node:worker_threads';
  const { SharedNames } = await import(workerData.module);
  const names = await SharedNames.open(workerData.path);
  const got = [];
  for (let i = 0; i < workerData.wishes; i++)
    got.push(names.claim('same/page-' + (i % 20), 'http://' + workerData.n + '.test/' + i));
  await names.close();
  parentPort.postMessage(got);
`;

it('never gives one name to two URLs, however many processes claim at once', async () => {
  const module = new URL('./shared-names.ts', import.meta.url).href;
  const url = new URL(`data:text/javascript,${encodeURIComponent(contender)}`);
  const all = await Promise.all(
    Array.from({ length: threads }, async (_, n) => {
      const worker = new Worker(url, { workerData: { module, path, wishes, n } });
      return await new Promise<string[]>((resolve, reject) => {
        worker.once('message', resolve);
        worker.once('error', reject);
      });
    }),
  );
  expect(new Set(all.flat()).size).toBe(threads * wishes);
  const lines = readFileSync(path, 'latin1').trimEnd().split('\n');
  expect(lines.every((line) => /^[0-9a-f]{12} [0-9a-f]{12}$/.test(line))).toBe(true);
});
