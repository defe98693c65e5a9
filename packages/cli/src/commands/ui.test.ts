import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { createClient } from '@webfarer/protocol/api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ChangingSite, startChangingSite } from '../changing-site.fixture.ts';
import { fakeWorld } from '../fake-crawl.fixture.ts';
import { localCrawls } from '../local/local-crawl.ts';
import { runCli } from '../program.ts';

const patience = { timeout: 120_000 };
let home: string;
let site: ChangingSite;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-ui-'));
});
afterEach(async () => {
  await site.stop();
  rmSync(home, { recursive: true, force: true });
});

async function siteOf(pages: number): Promise<void> {
  const links = Array.from({ length: pages }, (_, n) => `<a href="/${n}">${n}</a>`).join(' ');
  site = await startChangingSite({ '/': { body: links } });
}

/** A command that runs on a terminal, or without one. */
function typed(argv: string[], { terminal = true } = {}) {
  const world = fakeWorld(home, {}, argv);
  const keys = new Set<(key: string) => void>();
  const openedFiles: string[] = [];
  const onKey = (handler: (key: string) => void) => {
    keys.add(handler);
    return () => void keys.delete(handler);
  };
  const context = { ...world.context, local: localCrawls, clock: systemClock() };
  const openFile = (path: string) => void openedFiles.push(path);
  const exit = runCli(argv, terminal ? { ...context, onKey, openFile } : context);
  const links = () => [
    ...(world.out() + world.err()).matchAll(/http:\/\/127\.0\.0\.1:\d+\/crawls\/\S+#code=\S+/g),
  ];
  return {
    exit,
    out: world.out,
    err: world.err,
    openedFiles,
    interrupt: world.interrupt,
    press: (key: string) => keys.forEach((handler) => handler(key)),
    /** The last one that was printed. */
    async link(nth = 1) {
      await expect.poll(() => links().length, patience).toBeGreaterThanOrEqual(nth);
      const [url = '', code = ''] = (links()[nth - 1]?.[0] ?? '').split('#code=');
      const origin = url.replace(/\/crawls\/.*/, '');
      return {
        origin,
        code,
        redeem: () => createClient({ url: origin, token: undefined, fetch }).redeemLink({ body: { code } }),
      };
    },
    says: async (words: string) => await expect.poll(world.out, patience).toContain(words),
  };
}

const crawl = (...more: string[]) => [
  'crawl',
  `${site.origin}/`,
  '--gap',
  '5ms',
  '--out',
  'x.crawl',
  '--ui',
  ...more,
];

/** What a browser would have to send for a page of this host. */
function statusFor(origin: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${origin}/v1/version`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

test('a crawl is seen behind its link, and stays to be seen when it is over', async () => {
  await siteOf(10);
  const command = typed(crawl());
  const link = await command.link();
  const { token } = await link.redeem();
  const api = createClient({ url: link.origin, token, fetch });
  await command.says('The console stays open. Press q to end it');
  const { items } = await api.listCrawls({ query: {} });
  expect(items).toMatchObject([{ state: 'finished' }]);
  const [{ id } = { id: '' }] = items;
  const { progress } = await api.getCrawl({ params: { crawl: id } });
  const { session } = JSON.parse(readFileSync(join(home, 'x.crawl/crawl.json'), 'utf8')) as {
    session: { balance: object };
  };
  expect(progress?.balance).toEqual(session.balance);
  expect(progress?.balance).toMatchObject({ known: 11, done: 11 });
  await expect(api.createCrawl({ body: { job: { seeds: ['http://x.example/'] } } })).rejects.toMatchObject({
    code: 'conflict',
  });
  expect(await api.getVersion()).toMatchObject({ oneCrawl: true });
  command.press('q');
  expect(await command.exit).toBe(0);
  await expect(fetch(`${link.origin}/health`)).rejects.toThrow();
});

test('a link works once, and another one can be had', async () => {
  await siteOf(2);
  const command = typed(crawl());
  const first = await command.link();
  await first.redeem();
  await expect(first.redeem()).rejects.toMatchObject({ code: 'link-refused' });
  await command.says('stays open');
  command.press('l');
  const second = await command.link(2);
  expect((await second.redeem()).token).toMatch(/^wf_/);
  command.press('q');
  await command.exit;
});

test('neither other users nor pages of other sites get anything', async () => {
  await siteOf(2);
  const command = typed(crawl());
  const { origin } = await command.link();
  const { host } = new URL(origin);
  expect(await statusFor(origin, { host })).toBe(200);
  expect(await statusFor(origin, { host: 'rebound.example' })).toBe(403);
  expect(await statusFor(origin, { host, origin: 'http://evil.example' })).toBe(403);
  expect(await statusFor(origin, { host, 'sec-fetch-site': 'cross-site' })).toBe(403);
  await expect(
    createClient({ url: origin, token: undefined, fetch }).listCrawls({ query: {} }),
  ).rejects.toMatchObject({
    code: 'link-refused',
  });
  await command.says('stays open');
  command.press('q');
  await command.exit;
});

test('neither code nor token is written down', async () => {
  await siteOf(5);
  const command = typed(crawl('--log-file', 'all.log', '--log-level', 'debug'));
  const link = await command.link();
  const { token } = await link.redeem();
  await command.says('stays open');
  command.press('q');
  await command.exit;
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const holding = files.filter((file) => {
    const bytes = readFileSync(join(file.parentPath, file.name));
    return bytes.includes(link.code) || bytes.includes(token);
  });
  expect(holding.map(({ name }) => name)).toEqual([]);
  expect(existsSync(join(home, 'x.crawl/operator.token'))).toBe(false);
});

test('without a terminal the console ends with the crawl', async () => {
  await siteOf(5);
  const command = typed(crawl(), { terminal: false });
  expect(await command.exit).toBe(0);
  expect(command.out()).not.toContain('stays open');
});

test('Ctrl-C stops the crawl and the console, and the folder resumes without it', async () => {
  await siteOf(100);
  const command = typed(crawl());
  await command.link();
  await expect.poll(() => site.asked.length, patience).toBeGreaterThan(5);
  command.interrupt();
  expect(await command.exit).toBe(130);
  expect(command.out()).not.toContain('stays open');
  const before = site.asked.length;
  const again = typed(
    crawl().filter((word) => word !== '--ui'),
    { terminal: false },
  );
  expect(await again.exit).toBe(0);
  expect(again.out()).toContain('adds up');
  // Nothing that was done is asked for again, but for robots.txt and what was in flight.
  expect(site.asked.length - before).toBeLessThan(101);
});

test('Stop in the console ends the crawl, and Resume there continues it', async () => {
  await siteOf(60);
  const command = typed(crawl());
  const link = await command.link();
  const { token } = await link.redeem();
  const api = createClient({ url: link.origin, token, fetch });
  await expect.poll(() => site.asked.length, patience).toBeGreaterThan(5);
  const [{ name } = { name: '' }] = (await api.listCrawls({ query: {} })).items;
  await api.stopCrawl({ params: { crawl: name } });
  await command.says('stays open');
  await api.resumeCrawl({ params: { crawl: name } });
  await expect
    .poll(async () => (await api.getCrawl({ params: { crawl: name } })).state, patience)
    .toBe('finished');
  expect((await api.getCrawl({ params: { crawl: name } })).progress?.balance).toMatchObject({ done: 61 });
  command.press('q');
  await command.exit;
});

test('--ui-open hands the link to the desktop in a file that only its owner can read', async () => {
  await siteOf(2);
  const command = typed(crawl('--ui-open'));
  await expect.poll(() => command.openedFiles.length, patience).toBe(1);
  const [file = ''] = command.openedFiles;
  expect(statSync(file).mode & 0o077).toBe(0);
  const [, origin = '', code = ''] =
    /url=(http:\/\/[^/]+)\/[^#]*#code=([\w-]+)/.exec(readFileSync(file, 'utf8')) ?? [];
  await createClient({ url: origin, token: undefined, fetch }).redeemLink({ body: { code } });
  await expect.poll(() => existsSync(file), patience).toBe(false);
  await command.says('stays open');
  command.press('q');
  await command.exit;
});

test('console shows a finished crawl as it is, and requests nothing', async () => {
  await siteOf(5);
  await typed(
    crawl().filter((word) => word !== '--ui'),
    { terminal: false },
  ).exit;
  const asked = site.asked.length;
  const before = readFileSync(join(home, 'x.crawl/crawl.json'), 'utf8');
  const command = typed(['console', 'x.crawl']);
  const link = await command.link();
  const { token } = await link.redeem();
  const api = createClient({ url: link.origin, token, fetch });
  const [{ id } = { id: '' }] = (await api.listCrawls({ query: {} })).items;
  expect(await api.getCrawl({ params: { crawl: id } })).toMatchObject({
    state: 'finished',
    progress: { balance: { known: 6, done: 6 } },
  });
  const { items } = await api.listUrls({ params: { crawl: id }, query: {} });
  expect(items).toHaveLength(6);
  command.press('q');
  expect(await command.exit).toBe(0);
  expect(command.out()).toContain('x.crawl: finished, 6 URLs done, 0 queued');
  expect(site.asked.length).toBe(asked);
  expect(JSON.parse(readFileSync(join(home, 'x.crawl/crawl.json'), 'utf8'))).toEqual(JSON.parse(before));
});

test('console opens a stopped crawl paused, and resumes it when told to', async () => {
  await siteOf(60);
  const first = typed(crawl());
  await expect.poll(() => site.asked.length, patience).toBeGreaterThan(5);
  first.interrupt();
  await first.exit;
  const asked = site.asked.length;
  const command = typed(['console', 'x.crawl']);
  const link = await command.link();
  const { token } = await link.redeem();
  const api = createClient({ url: link.origin, token, fetch });
  const [{ id, state } = { id: '', state: '' }] = (await api.listCrawls({ query: {} })).items;
  expect(state).toBe('paused');
  expect(site.asked.length).toBe(asked);
  await api.resumeCrawl({ params: { crawl: id } });
  await expect
    .poll(async () => (await api.getCrawl({ params: { crawl: id } })).state, patience)
    .toBe('finished');
  command.press('q');
  expect(await command.exit).toBe(0);
});

test('a crawl that cannot begin leaves no folder behind, and a port must be one', async () => {
  await siteOf(1);
  const refused = typed(crawl('--scraper', './missing.ts'));
  expect(await refused.exit).not.toBe(0);
  expect(refused.err()).toContain('missing.ts');
  expect(readdirSync(home)).toEqual([]);
  const wrong = typed(crawl('--ui-port', 'seven'));
  expect(await wrong.exit).toBe(2);
  expect(wrong.err()).toContain('--ui-port needs a port');
});
