import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CrawlSnapshot, type Url, WebfarerError } from '@webfarer/protocol';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type FakeCourse, fakeWorld } from '../fake-crawl.fixture.ts';
import { runCli } from '../program.ts';
import { sampleRecord } from '../view/snapshot.fixture.ts';

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

const one: Partial<CrawlSnapshot> = {
  balance: { known: 1, queued: 0, leased: 0, done: 1, failed: 0, refused: 0 },
  byStatus: { '200': 1 },
  byReason: { ok: 1 },
  dropped: {},
};
const folderExists = () =>
  stat(join(cwd, 'example.org.crawl')).then(
    () => true,
    () => false,
  );

describe('webfarer crawl', () => {
  test('a finished crawl: banner, summary, exit 0', async () => {
    const { exit, out, opened } = await cli(
      { records: [sampleRecord({ depth: 0 })], snapshot: one },
      'crawl',
      'example.org',
    );
    expect(exit).toBe(0);
    expect(out()).toContain('webfarer 0.1.0    example.org → https://example.org/');
    expect(out()).toContain('known 1 = queued 0 + leased 0 + done 1 + failed 0 + refused 0   ✓ adds up');
    expect(opened[0]).toMatchObject({
      folder: join(cwd, 'example.org.crawl'),
      userAgent: 'webfarer/0.1.0',
      fresh: false,
    });
  });

  test('what is slow to open says what it waits for, but not to programs', async () => {
    const words = ['crawl', 'example.org'];
    const course = { records: [sampleRecord({ depth: 0 })], snapshot: one };
    const slow = await cli({ ...course, opensAfterMs: 1_200 }, ...words);
    expect(slow.out()).toContain('  opening ./example.org.crawl, waiting for the first page\n');
    const json = await cli({ ...course, opensAfterMs: 1_200 }, ...words, '--json');
    expect(json.out()).not.toContain('opening');
  });

  test('the banner names a redirect of the seed', async () => {
    const record = sampleRecord({
      depth: 0,
      reason: 'redirect',
      status: 301,
      redirectTo: 'https://www.example.org/' as Url,
    });
    const { out } = await cli({ records: [record], snapshot: one }, 'crawl', 'example.org');
    expect(out()).toContain('example.org → https://www.example.org/  (redirect; both in scope)');
  });

  test('robots.txt that allows nothing: the line that decided, exit 3, no folder left', async () => {
    const record = sampleRecord({
      verdict: 'refused',
      reason: 'robots',
      detail: 'robots.txt line 2 "Disallow: /" (User-agent: *)',
      depth: 0,
    });
    const snapshot = {
      balance: { ...one.balance!, done: 0, refused: 1 },
      byReason: { robots: 1 },
      byStatus: {},
      dropped: {},
    };
    const { exit, err } = await cli({ records: [record], snapshot }, 'crawl', 'example.org');
    expect(exit).toBe(3);
    expect(err()).toBe(
      '  ✗ example.org does not allow this crawler: robots.txt line 2 "Disallow: /" (User-agent: *)\n' +
        '    Only robots.txt was fetched. Your own site? Add to it:  User-agent: webfarer / Allow: /\n',
    );
    expect(await folderExists()).toBe(false);
  });

  test('a name that does not exist while crawling: exit 2, nothing saved', async () => {
    const record = sampleRecord({ verdict: 'failed', reason: 'dns-not-found', depth: 0 });
    const snapshot = {
      balance: { ...one.balance!, done: 0, failed: 1 },
      byReason: { 'dns-not-found': 1 },
      byStatus: {},
      dropped: {},
    };
    const { exit, err } = await cli({ records: [record], snapshot }, 'crawl', 'example.org');
    expect(exit).toBe(2);
    expect(err()).toContain(
      '✗ example.org: no such host (DNS NXDOMAIN). Check the spelling; nothing was saved.',
    );
    expect(await folderExists()).toBe(false);
  });

  test('an error tells what to do next', async () => {
    const refuses = new WebfarerError('scope-changed', 'the scope differs: scope.stay', {
      next: 'Add --rescope.',
    });
    const { exit, err } = await cli({ refuses }, 'crawl', 'example.org');
    expect(exit).toBe(2);
    expect(err()).toBe('  ✗ the scope differs: scope.stay.\n    Add --rescope.\n');
  });

  test('a missed threshold: marked, exit 4', async () => {
    const { exit, out } = await cli(
      {
        records: [sampleRecord()],
        snapshot: { ...one, balance: { known: 10, queued: 0, leased: 0, done: 9, failed: 1, refused: 0 } },
      },
      'crawl',
      'example.org',
      '--threshold',
      'failed<1%',
    );
    expect(exit).toBe(4);
    expect(out()).toContain('✗ failed < 1%: 10%');
  });

  test('a limit: exit 0 and the command that goes further', async () => {
    const summary = { state: 'limited' as const, limitedBy: 'pages' as const };
    const { exit, out } = await cli(
      { records: [sampleRecord()], summary },
      'crawl',
      'example.org',
      '--limit',
      '38',
    );
    expect(exit).toBe(0);
    expect(out()).toContain('page limit reached');
    expect(out()).toContain('webfarer crawl example.org --limit 76');
  });

  test('a finished folder has nothing left', async () => {
    const resumed = { stoppedAgoMs: 240_000, state: 'finished' as const, balance: one.balance!, changed: [] };
    const { exit, out } = await cli({ resumed, snapshot: one }, 'crawl', 'example.org');
    expect(exit).toBe(0);
    expect(out()).toBe(
      '  finished 4 min ago, nothing left.  --recrawl fetches what changed · --fresh starts over\n',
    );
  });

  test('a threshold that a finished crawl missed is missed at every run', async () => {
    const balance = { known: 10, queued: 0, leased: 0, done: 9, failed: 1, refused: 0 };
    const resumed = { stoppedAgoMs: 240_000, state: 'finished' as const, balance, changed: [] };
    const course = { resumed, records: [sampleRecord()], snapshot: { ...one, balance } };
    const { exit, out } = await cli(course, 'crawl', 'example.org', '--threshold', 'failed<1%');
    expect(exit).toBe(4);
    expect(out()).toContain('nothing left');
    expect(out()).toContain('✗ failed < 1%: 10%');
    const json = await cli(course, 'crawl', 'example.org', '--threshold', 'failed<1%', '--json');
    expect(json.exit).toBe(4);
    expect(JSON.parse(json.out())).toMatchObject({
      ending: 'threshold-missed',
      exit: 4,
      thresholds: [{ met: false }],
    });
  });

  test('resuming says what was there and what has changed', async () => {
    const balance = { known: 1273, queued: 1207, leased: 0, done: 54, failed: 0, refused: 12 };
    const resumed = { stoppedAgoMs: 180_000, state: 'stopped' as const, balance, changed: ['limits.pages'] };
    const { out } = await cli({ resumed, records: [sampleRecord()], snapshot: one }, 'crawl', 'example.org');
    expect(out()).toContain(
      'resuming ./example.org.crawl, stopped 3 min ago: 54 done, 1,207 queued   (--fresh starts over)',
    );
    expect(out()).toContain('changed since then, now in effect: limits.pages');
  });

  test('--json writes nothing but JSON lines, the summary last', async () => {
    const { exit, out } = await cli(
      { records: [sampleRecord()], snapshot: one },
      'crawl',
      'example.org',
      '--json',
    );
    const lines = out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; exit?: number; ending?: string });
    expect(exit).toBe(0);
    expect(lines[0]).toMatchObject({ type: 'record', level: 'debug', crawl: 'c1' });
    expect(lines.at(-1)).toMatchObject({
      type: 'summary',
      exit: 0,
      ending: 'finished',
      balance: { known: 1 },
    });
  });

  test('--items writes CSV that no spreadsheet runs', async () => {
    const items = [
      { name: 'a "b", c', price: -3 },
      { name: '=HYPERLINK("x")', extra: [1] },
    ];
    await cli(
      { records: [sampleRecord()], snapshot: one, items },
      'crawl',
      'example.org',
      '--items',
      'out.csv',
    );
    expect(await readFile(join(cwd, 'out.csv'), 'utf8')).toBe(
      'name,price,extra\r\n"a ""b"", c",-3,\r\n"\'=HYPERLINK(""x"")",,[1]\r\n',
    );
  });
});

describe('Ctrl-C', () => {
  async function interrupted(course: FakeCourse, times: number) {
    const argv = ['crawl', 'example.org', '--fresh'];
    const world = fakeWorld(cwd, { endless: true, records: [sampleRecord({ depth: 0 })], ...course }, argv);
    const exit = runCli(argv, world.context);
    await vi.waitFor(() => expect(world.out()).toContain('saving'));
    for (let i = 0; i < times; i++) world.interrupt();
    return { ...world, exit: await exit };
  }

  test('once: finishes, says how to go on without starting over, exit 130', async () => {
    const { exit, out, stops } = await interrupted({}, 1);
    expect(exit).toBe(130);
    expect(stops).toEqual([{}]);
    expect(out()).toContain('(Ctrl-C again to stop now, also safe)');
    expect(out()).toContain('Nothing is lost. Resume with:  webfarer crawl example.org\n');
  });

  test('twice: at once; three times: leaves', async () => {
    expect((await interrupted({}, 2)).stops).toEqual([{}, { now: true }]);
    expect((await interrupted({}, 3)).exits).toEqual([130]);
  });

  test('during a pause for the disk: exit 6', async () => {
    const pause = { cause: 'disk' as const, text: '180 MB left on this disk, 500 MB needed.' };
    const { exit } = await interrupted({ summary: { state: 'stopped', pause }, snapshot: { pause } }, 1);
    expect(exit).toBe(6);
  });
});
