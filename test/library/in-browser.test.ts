import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type BrowserHandler, crawl, type CrawlOptions, type PageRecord, replay } from 'webfarer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findBrowser } from '../../packages/worker/src/browser/find-browser.ts';

const command = resolve(import.meta.dirname, '../../packages/cli/src/bin.ts');
const icon = '<link rel=icon href="data:,">';
const start = `<!doctype html>${icon}<title>Start</title><a href="/list">list</a> <a href="/plain">plain</a>`;
const list = `<!doctype html>${icon}<title>List</title><ul></ul><button>More</button><script>
  let n = 0;
  document.querySelector('button').onclick = async () => {
    const name = await (await fetch('/thing/' + ++n)).text();
    document.querySelector('ul').insertAdjacentHTML('beforeend', '<li>' + name);
  };
</script>`;

/** Its button is gone after the second click. */
const two = list
  .replace('<button>More', '<button>Load more')
  .replace('const name', "if (n === 1) document.querySelector('button').remove();\n    const name");
const pages: Record<string, string> = { '/': start, '/list': list, '/list/all': two };

let folder: string;
let server: Server;
let log: string[];
let origin: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-in-browser-'));
  log = [];
  server = createServer(({ url = '' }, response) => {
    if (url === '/robots.txt') return void response.writeHead(200).end('User-agent: *\nDisallow: /thing/3\n');
    log.push(url);
    const page = url.startsWith('/thing/') ? url.slice(7) : (pages[url] ?? '<p>plain');
    response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  rmSync(folder, { recursive: true, force: true });
});

function options(changes: Partial<CrawlOptions> = {}): CrawlOptions {
  return {
    name: 'shop',
    folder: join(folder, 'shop.crawl'),
    seeds: [`${origin}/`],
    contact: 'https://lab.test/crawler',
    politeness: { gap: '1ms', slowFactor: 0 },
    limits: { minFree: '1MB' },
    fetch: { allowPrivate: ['127.0.0.0/8'], retries: { count: 0 } },
    render: 'auto',
    async onPage(page, { follow, push }) {
      if (page.label !== 'list') {
        follow(page.links.matching('/list'), { label: 'list', data: { most: 2 } });
        follow(page.links.matching('/plain'));
      } else push({ things: (await page.$())('li').length });
    },
    ...changes,
  };
}

async function recordsOf(records: AsyncIterable<PageRecord>): Promise<Map<string, PageRecord>> {
  const found = new Map<string, PageRecord>();
  for await (const record of records) found.set(new URL(record.url).pathname, record);
  return found;
}

describe.skipIf(findBrowser() === undefined)('inBrowser', () => {
  it('acts on the pages of its label, whose handler sees what came of it, also in a replay', async () => {
    const visits: unknown[] = [];
    const list: BrowserHandler = async (browser, { signal, ...visit }) => {
      visits.push(visit);
      expect(signal.aborted).toBe(false);
      const { most } = visit.data as { most: number };
      for (let n = 1; n <= most; n++) {
        await browser.getByRole('button', { name: 'More' }).click();
        await browser
          .locator('li')
          .nth(n - 1)
          .waitFor();
      }
    };
    const job = options({ inBrowser: { list } });
    const result = await crawl(job);
    expect(log.toSorted()).toEqual(['/', '/list', '/plain', '/thing/1', '/thing/2']);
    expect(visits).toEqual([
      { url: `${origin}/list`, label: 'list', depth: 1, referrer: `${origin}/`, data: { most: 2 } },
    ]);
    const records = await recordsOf(result.records);
    expect(records.get('/list')).toMatchObject({ verdict: 'done', renderedWhy: 'handler' });
    expect(records.get('/plain')?.rendered).toBeUndefined();
    const items: unknown[] = [];
    for await (const item of result.items) items.push(item);
    expect(items).toEqual([{ things: 2 }]);
    const asked = ['explain', `${origin}/list`, '--folder', join(folder, 'shop.crawl')];
    const { stdout: told } = await promisify(execFile)(process.execPath, [command, ...asked]);
    expect(told).toContain('shown in a browser: your code acts on it there');

    const to = join(folder, 'shop.replay');
    await replay(job, join(folder, 'shop.crawl'), { to });
    expect(readFileSync(join(to, 'items.jsonl'), 'utf8')).toContain('{"things":2}');
    expect(visits).toHaveLength(1);
    expect(log).toHaveLength(5);
  });

  it('has what it causes follow the rules of the page', async () => {
    const result = await crawl(
      options({
        inBrowser: {
          async list(browser) {
            for (let n = 0; n < 4; n++) await browser.click('button');
            await browser.evaluate(() => fetch('/thing/9', { method: 'DELETE' }).catch(() => undefined));
          },
        },
      }),
    );
    expect(log.filter((path) => path.startsWith('/thing/'))).toEqual(['/thing/1', '/thing/2', '/thing/4']);
    const leftOut = (await recordsOf(result.records)).get('/list')?.rendered?.leftOut;
    expect(leftOut).toContainEqual({ url: `${origin}/thing/3`, why: 'robots.txt' });
    expect(leftOut).toContainEqual({ url: `${origin}/thing/9`, why: 'method DELETE' });
  });

  it('that throws fails its page with the error and its place, and no other page', async () => {
    const result = await crawl(
      options({
        inBrowser: {
          async list(browser) {
            await browser.click('#no-such', { timeout: 300 });
          },
        },
      }),
    );
    expect(result.balance).toMatchObject({ done: 2, failed: 1 });
    const { reason, detail } = (await recordsOf(result.records)).get('/list') ?? {};
    expect(reason).toBe('step-failed');
    expect(detail).toMatch(
      /^inBrowser: page\.click: Timeout 300ms exceeded\. waiting for locator\('#no-such'\) \(.*in-browser\.test\.ts:\d+:\d+\)$/,
    );
  });

  it('is for every page as a function, and for none that a rule keeps from the browser', async () => {
    const seen: string[] = [];
    const result = await crawl(
      options({
        render: [{ match: '/plain', do: 'never' }, { do: 'auto' }],
        inBrowser: (_, { url }) => void seen.push(new URL(url).pathname),
      }),
    );
    expect(seen.toSorted()).toEqual(['/', '/list']);
    expect((await recordsOf(result.records)).get('/plain')?.rendered).toBeUndefined();
  });

  it('does what the example says', async () => {
    const example = resolve(import.meta.dirname, '../../examples/load-more.ts');
    const asked = [example, `${origin}/list/all`, '127.0.0.0/8'];
    const { stdout } = await promisify(execFile)(process.execPath, asked, { cwd: folder });
    expect(stdout.trim()).toBe(JSON.stringify({ url: `${origin}/list/all`, entries: 2 }));
    expect(log).toEqual(['/list/all', '/thing/1', '/thing/2']);
  });

  it('of a module may leave a call behind, which ends neither its page nor the crawl', async () => {
    writeFileSync(
      join(folder, 'shop.ts'),
      `export function onPage(page, { follow }) { follow(page.links); }
      export async function inBrowser(browser) {
        void browser.waitForSelector('#never');
      }`,
    );
    const { onPage: _, name: __, folder: ___, ...job } = options();
    writeFileSync(join(folder, 'job.json'), JSON.stringify({ ...job, name: 'shop', scraper: './shop.ts' }));
    const { stderr } = await promisify(execFile)(process.execPath, [command, 'run', 'job.json'], {
      cwd: folder,
    });
    expect(stderr).toContain('A call in inBrowser was not awaited');
    expect(log.toSorted()).toEqual(['/', '/list', '/plain']);
  });
});

describe('inBrowser', () => {
  it('is refused before anything is fetched where no page is shown', async () => {
    const inBrowser = (): void => undefined;
    const message = 'inBrowser needs a browser, and the job shows no page in one';
    await expect(crawl(options({ render: 'never', inBrowser }))).rejects.toThrow(message);
    await expect(crawl(options({ inBrowser: 'click' as never }))).rejects.toThrow('but not as a function');
    await expect(crawl(options({ inBrowser: {} }))).rejects.toThrow('but not as a function');
    writeFileSync(
      join(folder, 'shop.ts'),
      'export const onPage = () => {}; export const inBrowser = () => {};',
    );
    writeFileSync(join(folder, 'job.yml'), `seeds: ['${origin}/']\nscraper: ./shop.ts\n`);
    for (const verb of ['validate', 'run']) {
      const asked = [command, verb, 'job.yml', ...(verb === 'run' ? ['--allow-private', '127.0.0.0/8'] : [])];
      const ran = promisify(execFile)(process.execPath, asked, { cwd: folder });
      await expect(ran).rejects.toMatchObject({ stderr: expect.stringContaining('Add render: auto') });
    }
    expect(log).toEqual([]);
  });
});
