import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { crawl, type CrawlOptions, type PageRecord } from 'webfarer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadRecordings } from '../../packages/cli/src/job/load-recordings.ts';
import { parseJobFile } from '../../packages/protocol/src/job/file.ts';
import { findBrowser } from '../../packages/worker/src/browser/find-browser.ts';

const command = resolve(import.meta.dirname, '../../packages/cli/src/bin.ts');
const icon = '<link rel=icon href="data:,">';
const start = `<!doctype html>${icon}<title>Start</title><a href="/list/">list</a> <a href="/plain">plain</a>`;
/** Five batches, each loaded when the end of the one before is in sight. */
const list = `<!doctype html>${icon}<style>li { height: 400px }</style><ul></ul><i id=end>.</i><script>
  let next = 1;
  new IntersectionObserver(async ([seen]) => {
    if (!seen.isIntersecting || next > 5) return;
    const n = next++;
    const names = await (await fetch('/batch/' + n)).json();
    const items = names.map((name) => '<li><a href="/p/' + name + '">' + name + '</a>').join('');
    document.querySelector('ul').insertAdjacentHTML('beforeend', items);
  }).observe(end);
</script>`;
const account = `<!doctype html>${icon}<input id=code><button id=send>send</button><p></p><script>
  send.onclick = async () => {
    code.setAttribute('value', code.value);
    console.error('sent ' + code.value);
    const answer = await fetch('/check', { method: 'POST', body: code.value });
    document.querySelector('p').innerHTML = await answer.text();
  };
</script>`;
const secret = 'open-sesame-42';

let folder: string;
let server: Server;
let log: string[];
let port: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-steps-'));
  log = [];
  server = createServer((request, response) => {
    const path = request.url ?? '';
    let body = '';
    request.on('data', (piece) => (body += piece));
    request.on('end', () => {
      log.push([request.method, path, ...(body === '' ? [] : [body])].join(' '));
      const answer = (type: string, text: string) =>
        response.writeHead(200, { 'content-type': type }).end(text);
      if (path === '/') answer('text/html', start);
      else if (path === '/list/') answer('text/html', list);
      else if (path === '/account') answer('text/html', account);
      else if (path.startsWith('/batch/')) answer('application/json', batch(Number(path.slice(7))));
      else if (path.startsWith('/p/') || path === '/plain') answer('text/html', `<p>${path}</p>`);
      else if (path === '/check')
        answer('text/html', body === secret ? `right: ${secret} <a href="/p/hidden">in</a>` : 'wrong');
      else response.writeHead(404).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const batch = (n: number) => JSON.stringify([1, 2, 3].map((i) => `${n}-${i}`));

function options(changes: Partial<CrawlOptions> = {}): CrawlOptions {
  return {
    name: 'shop',
    folder: join(folder, 'shop.crawl'),
    seeds: [`http://127.0.0.1:${port}/`],
    contact: 'https://lab.test/crawler',
    politeness: { gap: '1ms', slowFactor: 0 },
    limits: { minFree: '1MB' },
    fetch: { allowPrivate: ['127.0.0.0/8'], retries: { count: 0 } },
    render: 'auto',
    ...changes,
  };
}

async function recordsOf(records: AsyncIterable<PageRecord>): Promise<Map<string, PageRecord>> {
  const found = new Map<string, PageRecord>();
  for await (const record of records) found.set(new URL(record.url).pathname, record);
  return found;
}

it('is as the docs write it', () => {
  const text = readFileSync(resolve(import.meta.dirname, '../../docs/steps.md'), 'utf8');
  const blocks = [...text.matchAll(/```yaml\n(.*?)```/gs)].map(([, block = '']) => block);
  expect(blocks).toHaveLength(3);
  mkdirSync(join(folder, 'recordings'));
  const recorded = [
    { type: 'navigate', url: 'https://a.example/' },
    { type: 'click', selectors: ['a'] },
  ];
  for (const name of ['search', 'load-more'])
    writeFileSync(join(folder, 'recordings', `${name}.json`), JSON.stringify({ steps: recorded }));
  for (const block of blocks) {
    const whole = block.startsWith('seeds') ? block : `seeds: [a.example]\nrender: auto\n${block}`;
    const { job } = parseJobFile(whole, 'job.yml', loadRecordings(folder));
    expect(job.steps.length).toBeGreaterThan(0);
  }
  for (const [, step = ''] of text.matchAll(/^\| `(\w+: .*?)` \|/gm)) {
    const whole = `seeds: [a.example]\nrender: auto\nsteps: [{ do: [{ ${step} }] }]`;
    expect(parseJobFile(whole, 'job.yml').job.steps[0]?.steps).toHaveLength(1);
  }
});

describe.skipIf(findBrowser() === undefined)('steps of a job', () => {
  it('reach what only acting shows, on the pages that they are for', async () => {
    const steps = [{ pages: '/list/**', do: [{ scroll: 'end' as const }] }];
    const result = await crawl(options({ steps }));
    const things = [1, 2, 3, 4, 5].flatMap((n) => JSON.parse(batch(n)) as string[]);
    for (const thing of things) expect(log.filter((line) => line === `GET /p/${thing}`)).toHaveLength(1);
    const records = await recordsOf(result.records);
    expect(records.get('/list/')).toMatchObject({ verdict: 'done', renderedWhy: 'steps' });
    expect(records.get('/list/')?.rendered).toMatchObject({ loaded: 5 });
    expect(records.get('/plain')?.rendered).toBeUndefined();
    const asked = ['explain', `http://127.0.0.1:${port}/list/`, '--folder', join(folder, 'shop.crawl')];
    const { stdout: told } = await promisify(execFile)(process.execPath, [command, ...asked]);
    expect(told).toContain('shown in a browser: the job has steps for it');
  });

  it('that fail fail the page, and the reason names the step', async () => {
    const steps = [{ pages: '/list/', do: [{ click: '.no-such', timeout: '300ms' }] }];
    const result = await crawl(options({ steps }));
    const records = await recordsOf(result.records);
    expect(records.get('/list/')).toMatchObject({
      verdict: 'failed',
      reason: 'step-failed',
      detail: 'steps[0].do[0] (click .no-such): no such element can be seen within 300 ms',
    });
    expect(result.balance).toMatchObject({ failed: 1, done: 2 });
  });

  it('type text of the environment that is in no file of the crawl', async () => {
    process.env['WEBFARER_TYPE_CODE'] = secret;
    const code = { into: '#code', fromEnv: 'WEBFARER_TYPE_CODE' };
    const steps = [{ pages: '/account', do: [{ type: code }, { click: '#send' }] }];
    const texts: string[] = [];
    const result = await crawl({
      ...options({ steps, seeds: [`http://127.0.0.1:${port}/account`], save: ['warc'] }),
      onPage(page, { follow }) {
        texts.push(page.source());
        follow(page.links);
      },
    });
    delete process.env['WEBFARER_TYPE_CODE'];
    expect(log).toContain(`POST /check ${secret}`);
    expect(log).toContain('GET /p/hidden');
    expect(result.balance).toMatchObject({ done: 2, failed: 0 });
    expect(texts.join()).toContain('right: ***');
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const path = join(folder, name);
      if (!/\.\w+$/.test(name) || name.endsWith('.crawl')) continue;
      const bytes = readFileSync(path);
      const text = name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
      expect(text.includes(secret) ? name : '').toBe('');
    }
  });

  it('that type what is not set are refused before anything is fetched', async () => {
    const code = { into: '#code', fromEnv: 'WEBFARER_TYPE_NOWHERE' };
    const steps = [{ pages: '/account', do: [{ type: code }] }];
    await expect(crawl(options({ steps }))).rejects.toThrow(
      'steps[0].do[0] types what WEBFARER_TYPE_NOWHERE holds, which is not set here',
    );
    expect(log).toEqual([]);
  });
});
