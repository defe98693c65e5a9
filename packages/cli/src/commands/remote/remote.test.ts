import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { type Route, routes } from '@webfarer/protocol/api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Network, startNetwork } from '../../../../../test/network/launcher.ts';
import { type ChangingSite, startChangingSite } from '../../changing-site.fixture.ts';
import { fakeWorld } from '../../fake-crawl.fixture.ts';
import { localCrawls } from '../../local/local-crawl.ts';
import { runCli } from '../../program.ts';

let home: string;
let site: ChangingSite;
let network: Network;
const small = ['/small', '/small/a', '/small/b', '/small/gone'];

/** A real coordinator and a real worker, each a process of its own; commands run here. */
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-remote-'));
  const links = Array.from({ length: 5_000 }, (_, n) => `<a href="/${n}">${n}</a>`).join(' ');
  site = await startChangingSite({
    '/': { body: links },
    '/small': { body: '<a href="/small/a">a</a> <a href="/small/b">b</a> <a href="/small/gone">c</a>' },
    '/small/a': { body: 'a' },
    '/small/b': { body: 'b' },
  });
  network = await startNetwork({ under: home, workers: 1 });
});
afterAll(async () => {
  await network?.end();
  await site?.stop();
  rmSync(home, { recursive: true, force: true });
});

async function cli(...argv: string[]) {
  const world = fakeWorld(home, {}, argv);
  const exit = await runCli(argv, { ...world.context, local: localCrawls, clock: systemClock() });
  return { exit, out: world.out(), err: world.err() };
}

const url = () => network.coordinators[0]?.url() ?? '';
const dataFolder = () => network.coordinators[0]?.folder ?? '';
const jsonLines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

function writeJob(name: string, path: string): string {
  const job = {
    name,
    seeds: [site.origin + path],
    scope: { stay: 'path' },
    politeness: { gap: '5ms', slowFactor: 0 },
    fetch: { allowPrivate: ['127.0.0.0/8'] },
    limits: { minFree: '1MB' },
  };
  writeFileSync(join(home, `${name}.json`), JSON.stringify(job));
  return `${name}.json`;
}

const stateOf = async (name: string) =>
  jsonLines((await cli('ls', '--json')).out).find((crawl) => crawl['name'] === name)?.['state'];

describe('at a coordinator', () => {
  test('an empty one says how to begin', async () => {
    expect(await cli('ls')).toMatchObject({
      exit: 0,
      out: expect.stringContaining('webfarer start job.yml'),
    });
    expect((await cli('schedule', 'ls')).out).toContain('webfarer schedule add');
    expect(await cli('results')).toMatchObject({ exit: 2, err: expect.stringContaining('no crawl yet') });
  });

  test('a team that nobody has described has its default quotas', async () => {
    const { exit, out } = await cli('quotas');
    expect(exit).toBe(0);
    expect(out).toContain('default: the defaults of a team');
    expect(out).toMatch(/open crawls +0 +400/);
    expect(out).toMatch(/pages today +not counted +none/);
    expect(jsonLines((await cli('quotas', 'press', '--json')).out)).toMatchObject([
      { name: 'press', inForce: { crawls: 400 } },
    ]);
  });

  test('a crawl is started, listed, paused, edited, resumed and stopped', async () => {
    const started = await cli('start', writeJob('large', '/'), '--tag', 'weekly');
    expect(started).toMatchObject({ exit: 0, out: expect.stringContaining('large: running') });
    await expect.poll(() => site.asked.length, { timeout: 60_000 }).toBeGreaterThan(5);
    const listed = await cli('ls', '--tag', 'weekly');
    expect(listed.out).toMatch(/crawl +state +done +queued +failed +pages\/s +created +tags/);
    expect(listed.out).toMatch(/large +running +\d+ +\S+ +0 .* ago +weekly/);
    expect((await cli('ls', '--tag', 'daily')).out).toContain('no crawl matches');

    expect(await cli('pause', 'large')).toMatchObject({ exit: 0, out: '  large: paused\n' });
    for (const argv of [[], ['--at', dataFolder()]]) {
      const shown = await cli('status', 'large', ...argv);
      expect(shown).toMatchObject({ exit: 0, err: '' });
      expect(shown.out).toMatch(/^ {2}large +paused +at http\S+\n.*known.*\n[^]* in +0 items\n/);
      expect(shown.out).toContain('adds up');
    }
    const [detail] = jsonLines((await cli('status', 'large', '--at', dataFolder(), '--json')).out);
    expect(detail).toMatchObject({ name: 'large', state: 'paused', progress: { balance: { leased: 0 } } });
    const unknown = await cli('status', 'nobody', '--at', dataFolder());
    expect([unknown.exit, unknown.err]).toEqual([2, expect.stringContaining('nobody')]);
    const asked = site.asked.length;
    const retried = await cli('retry', 'large', '--status', '404', '--no-run', '--at', dataFolder());
    expect(retried.out).toMatch(/large: [\d,]+ URLs? requeued/);
    const edited = await cli(
      'edit',
      'large',
      '--set',
      'limits.pages=4000',
      '--set',
      'politeness.gap=1ms',
      '--tag',
      'big',
    );
    expect(edited.out).toContain('limits.pages: default → 4000');
    expect(edited.out).toContain('politeness.gap: 5ms → 1ms');
    expect((await cli('edit', 'large', '--unset', 'limits.pages')).out).toContain(
      'limits.pages: 4000 → default',
    );
    const told = await cli('explain', `${site.origin}/`, '--at', dataFolder(), '--crawl', 'large');
    expect(told).toMatchObject({ exit: 0, out: expect.stringContaining('in large at http') });
    expect(told.out).toMatch(/^ {2}done/m);
    expect(site.asked.length).toBe(asked);
    expect(
      await cli('resume', 'large', '--at', url(), '--token-file', join(dataFolder(), 'operator.token')),
    ).toMatchObject({
      exit: 0,
      out: '  large: running\n',
    });
    await expect.poll(() => site.asked.length, { timeout: 60_000 }).toBeGreaterThan(asked);
    expect(await cli('stop', 'large', '--at', dataFolder())).toMatchObject({
      exit: 0,
      out: '  large: stopped\n',
    });
    expect(await stateOf('large')).toBe('stopped');
  });

  test('results are printed, followed to the end, and continued by a consumer', async () => {
    await cli('start', writeJob('small', '/small'));
    const followed = await cli('results', 'small', '--follow');
    expect(followed.exit).toBe(0);
    for (const path of small) expect(followed.out).toContain(site.origin + path);
    expect(followed.out).toMatch(/404 .*\/small\/gone\n/);
    expect(followed.out).toContain('4 results   the crawl is finished');
    expect((await cli('results', 'small', '--status', '404')).out).toContain('1 result ');
    expect((await cli('results', 'small', '--limit', '2')).out).toContain('there are more');

    const lines = jsonLines((await cli('results', 'small', '--json')).out);
    expect(lines.at(-1)).toMatchObject({ kind: 'bookmark', over: true });
    const after = String(lines[1]?.['token']);
    expect(jsonLines((await cli('results', 'small', '--json', '--after', after)).out)).toEqual(
      lines.slice(2),
    );
    expect((await cli('results', 'small', '--kind', 'links')).out).toContain(
      `/small  →  ${site.origin}/small/a`,
    );

    expect((await cli('results', 'small', '--consumer', 'me', '--limit', '3')).out).toContain('3 results');
    expect((await cli('results', 'small', '--consumer', 'me')).out).toContain('1 result ');
    expect((await cli('results', 'small', '--consumer', 'me')).out).toContain('0 results');
  });

  test('what failed is retried in a crawl that is over', async () => {
    site.pages['/small/gone'] = { body: 'here again' };
    const retried = await cli('retry', 'small', '--status', '404', '--at', dataFolder());
    expect(retried).toMatchObject({ exit: 0, out: '  small: 1 URL requeued\n' });
    expect((await cli('results', 'small', '--follow', '--status', '404')).out).toContain('0 results');
    expect(site.asked.filter(({ path }) => path === '/small/gone').map(({ status }) => status)).toContain(
      200,
    );
  });

  test('logs tell what happened to a crawl, and everything at the coordinator', async () => {
    const { out } = await cli('logs', 'small', '--follow');
    expect(out).toMatch(/\d\d:\d\d:\d\d {2}small: running\n/);
    expect(out).toContain('small: finished');
    expect(out).not.toContain('large');
    expect((await cli('logs')).out).toMatch(/worker \S+ connected from 127\.0\.0\.1/);
    const large = jsonLines((await cli('logs', 'large', '--json', '--limit', '2')).out);
    expect(large).toHaveLength(2);
    expect(large.at(-1)).toMatchObject({ type: 'crawl-state', state: 'stopped', level: 'info' });
  });

  test('logs --follow ends with the crawl', async () => {
    await cli('start', writeJob('followed', '/small'));
    const { out } = await cli('logs', 'followed', '--follow', '--pages');
    expect(out).toMatch(/followed: running\n[\s\S]*followed: finished\n$/);
    expect(out.match(/followed: running/g)).toHaveLength(1);
  });

  test('a schedule runs, is found by its name, paused, resumed and removed', async () => {
    const job = writeJob('nightly', '/small');
    const added = await cli('schedule', 'add', 'nightly', job, '--every', '1d', '--first', 'now');
    expect(added).toMatchObject({ exit: 0, out: expect.stringContaining('next run now') });
    expect(added.out).toContain('each run is kept until someone deletes it');
    const { out } = await cli('results', 'nightly', '--follow');
    expect(out).toContain('4 results   the crawl is finished');
    await expect
      .poll(async () => (await cli('schedule', 'ls')).out, { timeout: 60_000 })
      .toMatch(/nightly +every day.* in 24 h, at .* 1 +finished: nightly /);
    expect((await cli('schedule', 'runs', 'nightly')).out).toMatch(/finished +nightly /);
    expect((await cli('schedule', 'pause', 'nightly')).out).toContain('paused');
    expect((await cli('schedule', 'ls')).out).toMatch(/nightly .* paused /);
    expect((await cli('schedule', 'resume', 'nightly')).out).toContain('next run in 24 h');
    expect(await cli('schedule', 'add', 'nightly', job, '--every', '1d')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('--replace'),
    });
    const replaced = await cli(
      'schedule',
      'add',
      'nightly',
      job,
      '--cron',
      '30 4 * * MON',
      '--time-zone',
      'Europe/Paris',
      '--replace',
    );
    expect(replaced.out).toContain('nightly: at 04:30 on Monday (Europe/Paris)');
    expect((await cli('schedule', 'rm', 'nightly')).out).toContain('removed nightly');
    expect((await cli('schedule', 'ls', '--json')).out).toBe('');
  });

  test('each mistake says what to do', async () => {
    const token = join(dataFolder(), 'worker.token');
    writeFileSync(join(home, 'wrong.token'), `${'x'.repeat(43)}\n`);
    const cases: [string[], string, string][] = [
      [['results', 'none'], 'there is no crawl "none"', 'webfarer ls lists'],
      [['pause', 'none'], 'there is no crawl "none"', 'webfarer ls lists'],
      [['schedule', 'rm', 'none'], 'there is no schedule "none"', 'webfarer schedule ls lists'],
      [['results'], 'several crawls', 'webfarer ls'],
      [['edit', 'small'], 'nothing to change', '--set limits.pages=5000'],
      [['edit', 'small', '--set', 'limits.pages'], 'not a setting and a value', '--set limits.pages=5000'],
      [['edit', 'small', '--set', 'limits.page=5'], 'limits.page', 'docs/job-file.md'],
      [['start', 'none.yml'], 'there is no such file', 'webfarer init'],
      [['schedule', 'add', 'x', 'small.json'], 'an interval or a cron expression', '--every 1d'],
      [['schedule', 'add', 'x', 'small.json', '--every', '1 moon'], 'not an interval', '30min'],
      [['schedule', 'add', 'x', 'small.json', '--every', '1d', '--first', 'soon'], 'not a time', 'now'],
      [['ls', '--at', url()], 'needs a token', '--token-file'],
      [['ls', '--at', url(), '--token-file', token], 'the token is a worker token', 'scope viewer'],
      [['ls', '--at', url(), '--token-file', 'wrong.token'], 'does not accept this token', 'operator.token'],
      [['ls', '--at', url(), '--token-file', 'none.token'], 'no token file ./none.token', 'operator.token'],
      [['ls', '--at', '.'], 'is not the data folder', '--data'],
    ];
    for (const [argv, what, next] of cases) {
      const { exit, err } = await cli(...argv);
      expect([argv, exit, err]).toEqual([argv, expect.any(Number), expect.stringContaining(what)]);
      expect(exit, argv.join(' ')).toBeGreaterThan(0);
      expect(err, argv.join(' ')).toContain(next);
    }
  });

  test('no command prints the token', async () => {
    const secret = readFileSync(join(dataFolder(), 'operator.token'), 'utf8').trim();
    for (const argv of [['ls'], ['ls', '--json'], ['logs', '--json'], ['status', '--at', dataFolder()]]) {
      const { out, err } = await cli(...argv);
      expect(out + err).not.toContain(secret);
    }
  });

  test('every answer fits its schema, with times in whole milliseconds', async () => {
    const token = readFileSync(join(dataFolder(), 'operator.token'), 'utf8').trim();
    const headers = { authorization: `Bearer ${token}` };
    const put = async (method: string, path: string, body: unknown) => {
      const init = {
        method,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      };
      expect((await fetch(url() + path, init)).status, path).toBeLessThan(300);
    };
    await put('PUT', '/v1/policies/calm', { policy: { politeness: { gap: '5s' } } });
    await put('PUT', '/v1/host-rules/a.test', { gapMs: 5_000 });
    await put('PUT', '/v1/opt-outs/b.test', { reason: 'asked', contact: 'x@b.test', date: '2026-01-01' });
    await put('PUT', '/v1/teams/red', { weight: 2 });
    await cli('start', writeJob('again', '/small'));
    const ids = { crawl: 'small', policy: 'calm', match: 'a.test', team: 'red' };
    let answered = 0;
    for (const [name, route] of Object.entries<Route>(routes)) {
      if (route.method !== 'GET' || route.answer.kind !== 'json') continue;
      const path = route.path.replace(/\{(\w+)\}/g, (_, param: string) => ids[param as 'crawl'] ?? 'none');
      const isOfOne = ['explainUrl', 'getUrl', 'findLinksTo'].includes(name);
      const query = isOfOne ? `?url=${site.origin}/small` : '';
      const response = await fetch(url() + path + query, { headers });
      if (!response.ok) continue;
      answered++;
      const parsed = route.answer.schema.safeParse(await response.json());
      expect([name, parsed.error?.issues ?? []]).toEqual([name, []]);
    }
    expect(answered).toBeGreaterThan(15);
  });
});

test('without a coordinator each command says how to start or name one', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'webfarer-none-'));
  const away = async (...argv: string[]) => {
    const world = fakeWorld(empty, {}, argv);
    return { exit: await runCli(argv, { ...world.context, clock: systemClock() }), err: world.err() };
  };
  const here = await away('ls');
  expect(here.err).toContain('There is no coordinator here.');
  expect(here.err).toContain('webfarer coordinator');
  expect(here.err).toContain('--at http://host:7311');
  writeFileSync(join(empty, 'a.token'), `${'x'.repeat(43)}\n`);
  const unreachable = await away('ls', '--at', 'http://127.0.0.1:1', '--token-file', 'a.token');
  expect(unreachable.exit).toBe(6);
  expect(unreachable.err).toContain('127.0.0.1:1');
  expect(unreachable.err).toContain('Check that it is running');
  rmSync(empty, { recursive: true });
});
