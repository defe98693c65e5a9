import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { joinStore } from '@webfarer/coordinator/redis';
import { type CrawlId, systemClock, type WorkerId } from '@webfarer/protocol';
import { ownCaptures } from '@webfarer/worker/archive';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { redisForFile } from '../../../test/redis/for-file.ts';
import { type ChangingSite, startChangingSite } from './changing-site.fixture.ts';
import { type CrawlOptions, crawl } from './library.ts';
import { absentLines } from './folder/absent-results.ts';
import { checkFolder } from './doctor/folder.ts';
import { type Manifest, readFolder, retryFolder } from '@webfarer/coordinator';

const servers = redisForFile();
let home: string;
let site: ChangingSite;
let number = 0;
let name: string;

const pageCount = 24;
/** Tests that start commands of their own. */
const slow = { timeout: 90_000 };

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-shared-'));
  name = `shop-${++number}`;
  const links = Array.from({ length: pageCount - 1 }, (_, n) => `<a href="/p/${n}">${n}</a>`).join(' ');
  const pages = Array.from({ length: pageCount - 1 }, (_, n) => [`/p/${n}`, { body: `page ${n}` }]);
  site = await startChangingSite({ '/': { body: links }, ...Object.fromEntries(pages) });
});
afterEach(async () => {
  await site.stop();
  rmSync(home, { recursive: true, force: true });
});

async function options(folder: string, changes: Partial<CrawlOptions> = {}): Promise<CrawlOptions> {
  return {
    name,
    folder: join(home, folder),
    seeds: [`${site.origin}/`],
    store: (await servers()).url,
    politeness: { gap: '2ms', slowFactor: 0 },
    fetch: { allowPrivate: [site.origin], retries: { count: 0 } },
    limits: { minFree: '1MB' },
    ...changes,
  };
}

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** What the command prints, and its exit code. */
function command(...args: string[]): Promise<Ended> {
  const bin = join(import.meta.dirname, 'bin.ts');
  return new Promise((done) =>
    execFile(process.execPath, [bin, ...args], (error, stdout, stderr) =>
      done({ code: Number(error?.code ?? 0), stdout, stderr: stderr.replace(/\s+/g, ' ') }),
    ),
  );
}

async function capturesOf(folder: string): Promise<string[]> {
  const reader = await readFolder(join(home, folder));
  try {
    const urls: string[] = [];
    for await (const { url, saved } of ownCaptures(reader.results.records(reader.crawl), reader.member))
      if (saved) urls.push(url);
    return urls;
  } finally {
    await reader.close();
  }
}

test('processes that share a crawl fetch every page once, and each tells of the whole', async () => {
  const all = await Promise.all([crawl(await options('a')), crawl(await options('b'))]);
  for (const { state, balance } of all) {
    expect(state).toBe('finished');
    expect(balance).toMatchObject({ known: pageCount, done: pageCount, queued: 0, leased: 0 });
  }
  expect(site.asked.map(({ path }) => path).toSorted()).toEqual(Object.keys(site.pages).toSorted());
  const captures = [...(await capturesOf('a')), ...(await capturesOf('b'))];
  expect(captures.toSorted()).toEqual(
    Object.keys(site.pages)
      .map((path) => site.origin + path)
      .toSorted(),
  );
  const lines = (folder: string) =>
    readFileSync(join(home, folder, 'results.jsonl'), 'utf8')
      .trim()
      .split('\n').length;
  expect([lines('a'), lines('b')]).toEqual([pageCount, pageCount]);
});

test('a crawl that one has left goes on in another folder, and in its own', async () => {
  const first = crawl(await options('a', { politeness: { gap: '30ms', slowFactor: 0 } }));
  for await (const event of first) if (event.type === 'record') break;
  await first.stop();
  const { balance } = await first;
  expect(balance.queued).toBeGreaterThan(0);
  expect(balance.leased).toBe(0);
  const second = await crawl(await options('b', { politeness: { gap: '30ms', slowFactor: 0 } }));
  expect(second.balance).toMatchObject({ done: pageCount, queued: 0 });
  const again = await crawl(await options('a'));
  expect(again.state).toBe('finished');
  expect(site.asked).toHaveLength(pageCount);
});

test('what is put back is fetched again', async () => {
  await crawl(await options('a'));
  expect(await retryFolder(join(home, 'a'), { verdict: 'done' })).toBe(pageCount);
  expect((await crawl(await options('b'))).balance).toMatchObject({ done: pageCount, queued: 0 });
  expect(site.asked).toHaveLength(2 * pageCount);
});

test('a limit of the whole crawl is kept by all, and both rest', async () => {
  const limits = { pages: 10, minFree: '1MB' };
  const all = await Promise.all([
    crawl(await options('a', { limits })),
    crawl(await options('b', { limits })),
  ]);
  for (const { state, balance } of all) {
    expect(state).toBe('limited');
    expect(balance.done).toBe(10);
  }
});

test('who joins keeps to the scope, and to the settings while the crawl runs', async () => {
  const first = crawl(await options('a', { politeness: { gap: '100ms', slowFactor: 0 } }));
  for await (const event of first) if (event.type === 'record') break;
  const other = (folder: string, changes: Partial<CrawlOptions>) =>
    options(folder, changes).then(async (all) => await crawl(all));
  await expect(other('b', { scope: { stay: 'path' } })).rejects.toMatchObject({ code: 'scope-changed' });
  await expect(other('c', { seeds: ['http://127.0.0.1:1/'] })).rejects.toMatchObject({
    code: 'folder-foreign',
  });
  await expect(other('d', { fresh: true })).rejects.toMatchObject({ code: 'usage' });
  const store = { url: (await servers()).url, durability: 'available' as const };
  await expect(other('e', { store })).rejects.toMatchObject({ code: 'scope-changed' });
  await first.stop();
});

test('a folder says where its crawl is, and does not mix with one that keeps its own', async () => {
  await crawl(await options('a'));
  const manifest = JSON.parse(readFileSync(join(home, 'a', 'crawl.json'), 'utf8')) as Record<string, unknown>;
  expect(manifest).toMatchObject({ id: name, store: { url: (await servers()).url, durability: 'strict' } });
  const elsewhere = options('a', { name: 'another' }).then(async (all) => await crawl(all));
  await expect(elsewhere).rejects.toMatchObject({ code: 'folder-foreign' });
  const { store: _store, ...alone } = await options('z');
  await crawl(alone);
  await expect(options('z').then(async (all) => await crawl(all))).rejects.toMatchObject({
    code: 'folder-foreign',
  });
});

test('an archive of one folder says how many captures are in others', slow, async () => {
  await crawl(await options('a', { limits: { pages: 10, minFree: '1MB' } }));
  expect(await crawl(await options('b'))).toMatchObject({ state: 'finished', balance: { done: pageCount } });
  const own = (await capturesOf('b')).length;
  const { network, store } = JSON.parse(readFileSync(join(home, 'a', 'crawl.json'), 'utf8')) as Manifest;
  const member = (store ?? network)?.member;
  const packed = await command('export', join(home, 'b'), '--wacz', join(home, 'b.wacz'));
  expect(packed.code).toBe(7);
  expect(packed.stdout).toContain(`${own} captures`);
  expect(packed.stderr).toContain(
    `Only ${own} of ${pageCount} captures are packed: ${pageCount - own} in the folder of ${member}.`,
  );
});

test(
  'results beyond the backlog go to files, and whoever lacks them is told where they are',
  slow,
  async () => {
    const store = { url: (await servers()).url, backlog: 5 };
    const { nodes } = await servers();
    const first = await crawl(await options('a', { store }));
    expect(first.balance).toMatchObject({ done: pageCount, queued: 0 });
    const c = await nodes[0]?.askText('HGET', '{wf}i', name);
    const keys = (await nodes[0]?.ask('KEYS', `{g*}${c}r`)) as string[];
    expect(keys).toHaveLength(1);
    expect(Number(await nodes[0]?.ask('XLEN', keys[0] as string))).toBeLessThan(5);
    const count = async (folder: string, segments?: string[]) => {
      const reader = await readFolder(join(home, folder), segments ? { segments } : {});
      const told = await absentLines(reader);
      let records = 0;
      for await (const _ of reader.results.records(reader.crawl)) records++;
      await reader.close();
      return { records, told };
    };
    expect(await count('a')).toEqual({ records: pageCount, told: [] });
    // Another folder of the same crawl reads them where they are.
    expect((await crawl(await options('b', { store }))).state).toBe('finished');
    expect(await count('b')).toEqual({ records: pageCount, told: [] });
    renameSync(join(home, 'a'), join(home, 'moved'));
    const { records, told } = await count('b');
    expect(records).toBeLessThan(pageCount);
    expect(told[0]).toMatch(
      new RegExp(`^! left out: ${pageCount - records} results are in 1 file in .*/a/segments on `),
    );
    expect(told[1]).toContain('--segments DIR');
    const exported = await command('export', join(home, 'b'), '--jsonl');
    expect(exported).toMatchObject({ code: 7, stdout: expect.stringContaining(`${records} URLs in`) });
    expect(exported.stderr).toMatch(
      new RegExp(
        `Only ${records} of ${pageCount} results were written: ${pageCount - records} results are in`,
      ),
    );
    expect((await command('stats', join(home, 'b'))).code).toBe(7);
    const whole = ['--segments', join(home, 'moved')];
    expect(await command('export', join(home, 'b'), '--jsonl', ...whole)).toMatchObject({
      code: 0,
      stderr: '',
    });
    const looks = await checkFolder(join(home, 'b'), { local: { readFolder }, nowMs: Date.now() });
    expect(looks.filter(({ ok }) => !ok).map((look) => look.name)).toEqual(['results']);
    expect(await count('b', [join(home, 'moved')])).toEqual({ records: pageCount, told: [] });
    expect(await retryFolder(join(home, 'b'), { verdict: 'done' })).toBe(records);
    expect(await retryFolder(join(home, 'b'), { verdict: 'done' }, { segments: [join(home, 'moved')] })).toBe(
      pageCount - records,
    );
  },
);

test('doctor looks into the store of a folder that has no database', async () => {
  await crawl(await options('a'));
  const looks = await checkFolder(join(home, 'a'), { local: { readFolder }, nowMs: Date.now() });
  expect(looks.filter(({ ok }) => !ok)).toEqual([]);
  expect(looks.map((look) => look.name)).toContain('store');
});

test('a folder does not begin anew because the store has forgotten its crawl', async () => {
  const { nodes } = await servers();
  await crawl(await options('a'));
  await nodes[0]?.ask('HDEL', '{wf}En', name);
  await expect(options('a').then(async (all) => await crawl(all))).rejects.toMatchObject({
    code: 'folder-foreign',
  });
});

test('a restart frees what worker processes of its own folder held, and goes on at once', async () => {
  // Slow enough that something is left when it is stopped.
  const slow = { politeness: { gap: '30ms', slowFactor: 0 } };
  const first = crawl(await options('a', slow));
  for await (const event of first) if (event.type === 'record') break;
  await first.stop();
  const file = join(home, 'a', 'crawl.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { job: object; store: { member: string } };
  const { url } = await servers();
  const { frontier } = await joinStore({ url, durability: 'strict', insecure: false }, systemClock());
  const worker = `${manifest.store.member}-2` as WorkerId;
  const ask = { worker, hosts: 1, urlsPerHost: 5, crawls: [name as CrawlId] };
  // Crawls of other tests share the host and may have a turn first, which is theirs for 1.5 s.
  await expect.poll(async () => (await frontier.lease(ask)).leases, { timeout: 30_000 }).toHaveLength(1);
  await frontier.close();
  // As a session of three processes left it that was killed.
  writeFileSync(file, JSON.stringify({ ...manifest, job: { ...manifest.job, processes: 3 } }));
  const { balance } = await crawl(await options('a', slow));
  expect(balance).toMatchObject({ done: pageCount, queued: 0, leased: 0 });
});
