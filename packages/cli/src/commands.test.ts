import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PageRecord, Url } from '@webfarer/protocol';
import { parseJobFile } from '@webfarer/protocol/job';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FakeCourse, fakeWorld } from './fake-crawl.fixture.ts';
import { runCli } from './program.ts';
import { sampleRecord } from './view/snapshot.fixture.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'webfarer-cli-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

async function cli(course: FakeCourse, ...argv: string[]) {
  const world = fakeWorld(cwd, course, argv);
  const exit = await runCli(argv, world.context);
  return { ...world, exit };
}

const crawlFolder = () => mkdir(join(cwd, 'example.org.crawl'));
const broken = sampleRecord({
  url: 'https://example.org/gone' as Url,
  reason: 'http-4xx',
  status: 404,
  referrer: 'https://example.org/' as Url,
});
const failed = sampleRecord({
  url: 'https://example.org/bad' as Url,
  verdict: 'failed',
  reason: 'timeout',
  attempts: 4,
  detail: 'no\x1b[2J answer',
});

describe('which folder', () => {
  test('the only one here needs no name', async () => {
    await crawlFolder();
    const { exit, out } = await cli({}, 'status');
    expect(exit).toBe(0);
    expect(out()).toContain('./example.org.crawl');
    expect(out()).toContain('✓ adds up');
  });

  test('none, several, a wrong name: each says what to do', async () => {
    const none = await cli({}, 'status');
    expect([none.exit, none.err()]).toEqual([2, expect.stringContaining('There is no crawl folder here.')]);
    await crawlFolder();
    await mkdir(join(cwd, 'other.crawl'));
    const several = await cli({}, 'status');
    expect(several.err()).toContain('There are 2 crawl folders here: example.org.crawl, other.crawl');
    expect((await cli({}, 'status', 'example.org')).exit).toBe(0);
    expect((await cli({}, 'status', 'nowhere')).err()).toContain('There is no folder ./nowhere.');
  });
});

describe('a network', () => {
  test('each mistake says what to do', async () => {
    const cases: [string[], string, string][] = [
      [
        ['coordinator', '--data', 'data', '--until-done'],
        'There is no crawl in ./data yet.',
        'Name a job file',
      ],
      [['coordinator', 'example.org', '--data', 'd', '--listen', 'here'], 'not an address', '127.0.0.1:7311'],
      [['worker', 'http://127.0.0.1:1'], 'needs the token', 'worker.token'],
      [['worker', 'http://127.0.0.1:1', '--token-file', 'no.token'], 'no.token', ''],
      [['status', 'http://127.0.0.1:1'], 'needs a token', 'operator.token'],
      [['top', 'http://127.0.0.1:1'], 'needs a token', 'operator.token'],
      [['dev', 'example.org', '--coordinators', '2'], 'need a shared store', '--store redis://'],
    ];
    for (const [argv, what, next] of cases) {
      const { exit, err } = await cli({}, ...argv);
      expect([argv, exit, err()]).toEqual([argv, 2, expect.stringContaining(what)]);
      expect(err()).toContain(next);
    }
  });
});

describe('usage', () => {
  test('mistakes exit with 2 and a way out', async () => {
    const typo = await cli({}, 'crwl', 'example.org');
    expect([typo.exit, typo.err()]).toEqual([2, expect.stringContaining("unknown command 'crwl'")]);
    expect(typo.err()).toContain('Did you mean crawl?');
    const option = await cli({}, 'crawl', 'example.org', '--limt', '3');
    expect([option.exit, option.err()]).toEqual([2, expect.stringContaining('Did you mean --limit?')]);
    expect((await cli({}, 'crawl', 'example.org', '--stay', 'home')).err()).toContain(
      'Allowed choices are path, host, site, web',
    );
  });

  test('help and version are no errors', async () => {
    expect((await cli({}, '--version')).out()).toBe('0.1.0\n');
    const help = await cli({}, 'crawl', '--help');
    expect([help.exit, help.err()]).toEqual([0, '']);
    expect(help.out()).toContain('--stay <where>');
    expect((await cli({})).out()).toContain('Exit codes');
  });

  test('a crawl beyond one site needs a contact', async () => {
    const { exit, err } = await cli({}, 'crawl', 'example.org', '--stay', 'web');
    expect(exit).toBe(2);
    expect(err()).toMatch(/contact/i);
  });
});

describe('retry', () => {
  test('puts back what the filter names and goes on', async () => {
    await crawlFolder();
    const { exit, out, retried, opened } = await cli(
      { records: [sampleRecord()] },
      'retry',
      '--status',
      '5xx',
    );
    expect(exit).toBe(0);
    expect(retried).toEqual([{ status: '5xx' }]);
    expect(opened).toHaveLength(1);
    expect(out()).toContain('1 URL requeued');
  });

  test('needs to know what, and knows its reasons', async () => {
    await crawlFolder();
    expect((await cli({}, 'retry')).err()).toContain('No filter was given.');
    expect((await cli({}, 'retry', '--reason', 'bad-luck')).err()).toContain('There is no reason "bad-luck"');
    const later = await cli({ records: [failed] }, 'retry', '--reason', 'timeout', '--no-run');
    expect([later.retried, later.opened]).toEqual([[{ reason: 'timeout' }], []]);
  });
});

describe('stats', () => {
  test('counts, compares, and writes CSV files', async () => {
    await crawlFolder();
    const course = { records: [sampleRecord(), broken, failed] };
    const { exit, out } = await cli(course, 'stats', 'example.org', 'example.org');
    expect(exit).toBe(0);
    expect(out()).toMatch(/Overlap with the other crawl\n.*\n {2}urls +3 +3 +3 +3 +1\n/);
    expect(out()).toMatch(/HTTP status\n.*\n {2}200 +2 +1 /);
    expect((await cli(course, 'stats', '--csv', 'csv')).out()).toMatch(/^ {2}\d+ tables in \.\/csv\n$/);
    expect(await readFile(join(cwd, 'csv', 'status.csv'), 'utf8')).toContain('404,1,0,');
    const lines = (await cli(course, 'stats', '--json')).out().trim().split('\n');
    const tables = lines.map((line) => JSON.parse(line) as { id: string; rows: unknown[] });
    expect(tables.find(({ id }) => id === 'totals')?.rows[0]).toEqual(['urls', 3, null]);
    expect((await cli(course, 'stats', '--limit', 'x')).exit).toBe(2);
  });
});

describe('report, export, explain', () => {
  test('lists what is broken with its page, and writes report.html', async () => {
    await crawlFolder();
    const { out } = await cli({ records: [sampleRecord(), broken, failed] }, 'report');
    expect(out()).toMatch(
      /broken links \(2 on 1 page\)\n.*\n {2}404 +https:\/\/example.org\/gone +https:\/\/example.org\/\n {2}\S+ +https:\/\/example.org\/bad/,
    );
    expect(out()).toContain('no answer');
    expect(out()).not.toContain('\x1b');
    expect(await readFile(join(cwd, 'example.org.crawl', 'report.html'), 'utf8')).toContain(
      'https://example.org/gone',
    );
  });

  test('one list, as JSON', async () => {
    await crawlFolder();
    const { out } = await cli({ records: [sampleRecord(), failed] }, 'report', '--failed', '--json');
    const lines = out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toEqual([
      { list: 'failed', record: JSON.parse(JSON.stringify(failed)) as object, pages: [] },
      { list: 'failed', shown: 1, total: 1 },
    ]);
  });

  test('terminal, JSON and report.html count broken links and their pages alike, and say what is cut', async () => {
    await crawlFolder();
    // A host that answers and then stops was not asked: this one never answered.
    const { status: _, ...silent } = sampleRecord({ url: 'https://dead.example/' as Url });
    const dead: PageRecord = { ...silent, verdict: 'failed', reason: 'host-dead' };
    const answered = (['http-4xx', 'http-5xx', 'timeout', 'dns-not-found', 'handler'] as const).map(
      (reason, n) =>
        sampleRecord({
          url: `https://example.org/${n}` as Url,
          verdict: reason === 'http-4xx' ? 'done' : 'failed',
          reason,
          status: reason === 'http-4xx' ? 404 : 500,
        }),
    );
    const records = [...answered, dead];
    const edges = Array.from({ length: 17 }, (_, n) => ({
      from: `https://example.org/page${n}` as Url,
      edges: records.map(({ url }) => ({ to: url, rel: 'a' })),
    }));
    const course = { records, edges };
    const text = (await cli(course, 'report', '--broken', '--limit', '2')).out();
    expect(text).toContain('broken links (5 on 17 pages)');
    expect(text).toContain('https://example.org/page0 +16');
    expect(text).toContain('2 of 5 shown');
    const lines = (await cli(course, 'report', '--broken', '--limit', '2', '--json'))
      .out()
      .trim()
      .split('\n');
    const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(parsed[0]).toMatchObject({ list: 'broken', onPages: 17 });
    expect(parsed.at(-1)).toEqual({ list: 'broken', shown: 2, total: 5, pages: 17 });
    const html = await readFile(join(cwd, 'example.org.crawl', 'report.html'), 'utf8');
    expect(html).toContain('5 broken links on 17 pages');
    expect(html).toContain('5 of 17 pages shown');
  });

  test('export to a file in the folder or to stdout', async () => {
    await crawlFolder();
    const course = { records: [sampleRecord(), failed], items: [{ a: 1 }, 'plain'] };
    expect((await cli(course, 'export', '--csv')).out()).toBe(
      '  2 URLs in ./example.org.crawl/results.csv\n',
    );
    const csv = await readFile(join(cwd, 'example.org.crawl', 'results.csv'), 'utf8');
    expect(csv.split('\r\n')).toHaveLength(4);
    expect((await cli(course, 'export', '--jsonl', '--to', '-')).out().trim().split('\n')).toHaveLength(2);
    expect((await cli(course, 'export', '--items', '--to', '-')).out()).toBe('a,value\r\n1,\r\n,plain\r\n');
    expect((await cli(course, 'export')).err()).toContain('One of --csv, --jsonl, --items, --parquet');
  });

  test('explain says where a URL stands', async () => {
    await crawlFolder();
    const { out } = await cli({}, 'explain', 'https://example.org/search');
    expect(out()).toContain('refused (robots)');
    expect(out()).toContain('refused: robots.txt line 2');
  });

  test('of several crawls, explain takes the one of the host', async () => {
    for (const name of ['example.org.crawl', 'other.example.crawl']) {
      await mkdir(join(cwd, name));
      await writeFile(join(cwd, name, 'crawl.json'), '{}');
    }
    expect((await cli({}, 'explain', 'https://www.example.org/search')).out()).toContain(
      'in ./example.org.crawl',
    );
    expect((await cli({}, 'explain', 'https://nowhere.example/')).err()).toContain(
      'There are 2 crawl folders here',
    );
  });
});

describe('job files', () => {
  test('init writes one that validate accepts and run reads', async () => {
    expect((await cli({}, 'init', '--seed', 'https://example.org/')).exit).toBe(0);
    expect((await cli({}, 'init')).err()).toContain('./job.yml exists.');
    const text = await readFile(join(cwd, 'job.yml'), 'utf8');
    expect(parseJobFile(text, 'job.yml').job.name).toBe('example.org');
    expect((await cli({}, 'validate', 'job.yml')).out()).toContain('✓ job.yml is valid: example.org');
    const { exit, opened } = await cli({ records: [sampleRecord()] }, 'run', 'job.yml');
    expect(exit).toBe(0);
    expect(opened[0]).toMatchObject({
      folder: join(cwd, 'example.org.crawl'),
      jobPath: join(cwd, 'job.yml'),
    });
  });

  test('init asks where somebody can answer', async () => {
    const answers = ['https://shop.example/', '200', 'me@shop.example'];
    const world = fakeWorld(cwd, {}, ['init']);
    world.context.ask = {
      text: async ({ check }) => {
        const answer = answers.shift() ?? '';
        expect(check?.(answer)).toBeUndefined();
        return answer;
      },
      choose: async ({ choices }) => choices[1]?.value as never,
    };
    expect(await runCli(['init'], world.context)).toBe(0);
    const { job } = parseJobFile(await readFile(join(cwd, 'job.yml'), 'utf8'), 'job.yml');
    expect(job).toMatchObject({
      name: 'shop.example',
      contact: 'me@shop.example',
      limits: { pages: 200 },
      scope: { stay: 'host' },
    });
    expect(job.save).toEqual([expect.objectContaining({ kind: 'files' })]);
  });

  test('a mistake is shown with its line and a caret under it', async () => {
    await writeFile(join(cwd, 'job.yml'), 'seeds: [example.org]\nscope:\n  stey: host\n');
    const { exit, err } = await cli({}, 'validate', 'job.yml');
    expect(exit).toBe(2);
    expect(err()).toBe(
      '  ✗ job.yml:3:3: scope: unknown field "stey"; did you mean "stay"?\n      3 |   stey: host\n        |   ^^^^\n',
    );
  });

  test('crawl.json repeats the crawl it was written by', async () => {
    const manifest = { format: 1, job: { seeds: ['https://example.org/'], name: 'again' }, baseFolder: cwd };
    await writeFile(join(cwd, 'crawl.json'), JSON.stringify(manifest));
    const { exit, opened } = await cli({ records: [sampleRecord()] }, 'run', 'crawl.json', '--out', 'copy');
    expect(exit).toBe(0);
    expect(opened[0]).toMatchObject({ folder: join(cwd, 'copy'), job: { name: 'again' } });
  });
});

describe('report --changes', () => {
  const changes = [
    { url: 'https://example.org/a' as Url, change: 'changed', status: 200, title: 'A' },
    { url: 'https://example.org/b' as Url, change: 'unchanged', status: 304 },
    { url: 'https://example.org/c' as Url, change: 'gone', status: 404, why: 'answered 404' },
  ] satisfies FakeCourse['changes'];

  test('compares with any other crawl, in words and in report.html', async () => {
    await crawlFolder();
    await mkdir(join(cwd, 'other.crawl'));
    const { exit, out } = await cli(
      { changes, records: [broken] },
      'report',
      'example.org',
      '--compare',
      'other',
    );
    expect(exit).toBe(0);
    expect(out()).toMatch(/gone: 1\n.*\n.*example.org\/c +answered 404/);
    expect(out()).not.toContain('broken links');
    const text = await readFile(join(cwd, 'example.org.crawl', 'report.html'), 'utf8');
    expect(text).toContain('Compared with <bdi>./other.crawl</bdi>');
    expect(text).toMatch(/<section id="gone"[^]*example\.org[^]*answered 404/);
    expect((await cli({}, 'report', 'example.org', '--compare', 'nowhere')).exit).toBe(2);
  });

  test('lists what changed, and counts what did not', async () => {
    await crawlFolder();
    const { exit, out } = await cli({ changes }, 'report', '--changes');
    expect(exit).toBe(0);
    expect(out()).toContain('new pages: none');
    expect(out()).toMatch(/changed pages: 1\n.*\n.*200 +https:\/\/example.org\/a +A/);
    expect(out()).toMatch(/gone: 1\n.*\n.*example.org\/c +answered 404/);
    expect(out()).toContain('unchanged pages: 1');
    expect(out()).not.toContain('example.org/b');
    expect(out()).not.toContain('broken links');
  });

  test('as JSON names every page', async () => {
    await crawlFolder();
    const { out } = await cli({ changes }, 'report', '--changes', '--json');
    expect(
      out()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(changes.map((change) => ({ list: 'changes', ...change })));
  });

  test('without an earlier crawl says so', async () => {
    await crawlFolder();
    const { exit, err } = await cli({}, 'report', '--changes');
    expect([exit, err()]).toEqual([2, expect.stringContaining('no earlier crawl to compare')]);
  });
});
