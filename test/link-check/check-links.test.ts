import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NameServer, startNameServer } from '../../packages/worker/src/egress/name-server.fixture.ts';
import { fakeWorld } from '../../packages/cli/src/fake-crawl.fixture.ts';
import { localCrawls } from '../../packages/cli/src/local/local-crawl.ts';
import { runCli } from '../../packages/cli/src/program.ts';
import { fetchedPython } from '../outside/python.ts';
import { fetchedSarifSchema } from '../outside/tools.ts';
import { type BrokenSite, type Planted, startBrokenSite } from './broken-site.ts';
import type { BrokenLink, LinkReport } from '../../packages/cli/src/link-check/link-report.ts';

let dns: NameServer;
let site: BrokenSite;
let cwd: string;
let command: string[];
let first: Answer;

type Result = Omit<LinkReport, 'good'> & { good: number; from: string; exit: number };
interface Answer {
  exit: number;
  out: string;
  result: Result;
}

async function check(...argv: string[]): Promise<Answer> {
  const words = ['check', ...argv];
  const world = fakeWorld(cwd, {}, words);
  const exit = await runCli(words, { ...world.context, local: localCrawls });
  const out = world.out();
  if (exit !== 0 && exit !== 4) throw new Error(`${exit}: ${world.err()}${out}`);
  return { exit, out, result: argv.includes('--json') ? (JSON.parse(out) as Result) : (undefined as never) };
}

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'webfarer-check-'));
  site = await startBrokenSite();
  dns = await startNameServer(() => 'nxdomain');
  command = [
    site.origin,
    '--contact',
    'me@example.org',
    '--gap',
    '1ms',
    '--retries',
    '0',
    '--timeout',
    '4s',
    '--out',
    'x.crawl',
    '--exclude',
    '**/logout',
    '--dns',
    dns.address,
    ...site.allowed.flatMap((origin) => ['--allow-private', origin]),
  ];
  first = await check(...command, '--json', '--junit', 'out/links.xml', '--sarif', 'out/links.sarif');
});

afterAll(async () => {
  await site.stop();
  await dns.stop();
  rmSync(cwd, { recursive: true, force: true });
});

/** The planted links of one kind as a report has them: each target with its facts, and `page text` of its places. */
function planted<T>(facts: (truth: Planted['truth']) => T | undefined): Record<string, T & { on: string[] }> {
  const found: Record<string, T & { on: string[] }> = {};
  for (const [target, { href, url, truth }] of site.planted.entries()) {
    const known = facts(truth);
    if (known === undefined) continue;
    for (const [n, page] of site.pages.entries()) {
      const text = site.textOn(target, n);
      if (text === undefined) continue;
      const name = url ? url(page) : new URL(href, site.origin).href;
      (found[name] ??= { ...known, on: [] }).on.push(`${page} ${text}`);
    }
  }
  return found;
}

/** What the tree of pages adds: broken links that stand in the sitemap and on a page behind a redirect. */
const hidden = (name: string, on: string) => ({
  [`${site.origin}${name}`]: { kind: 'link', reason: 'http-4xx', status: 404, on: [on] },
});

function placesOf({ on }: Pick<BrokenLink, 'on'>): string[] {
  return on.map(({ page, text }) => `${page} ${text}`.trim()).toSorted();
}

function shown(links: readonly BrokenLink[]) {
  return Object.fromEntries(
    links.map(({ url, kind, reason, status, via, ...link }) => [
      url,
      { kind, reason, ...(status && { status }), ...(via && { via }), on: placesOf(link) },
    ]),
  );
}

function truthOfBroken() {
  return {
    ...planted((truth) => {
      if (truth.is !== 'broken') return undefined;
      const { is: _, ...facts } = truth;
      return facts;
    }),
    ...hidden('/gone-from-sitemap', `${site.origin}/sitemap.xml`),
    ...hidden('/gone-from-landing', `${site.origin}/landing deep`),
  };
}

describe('a site with every kind of broken link', () => {
  test('each is found with all its pages, and nothing else', () => {
    expect(shown(first.result.broken)).toEqual(truthOfBroken());
    expect(first.exit).toBe(4);
    expect(first.result).toMatchObject({ from: 'checked', exit: 4, anchors: { pagesNotKept: 0 } });
  });

  test('dead hosts say what they died of', () => {
    const details = first.result.broken
      .filter(({ reason }) => reason === 'host-dead')
      .map(({ detail = '' }) => detail);
    expect(details.toSorted()).toEqual([
      expect.stringContaining('connect-refused'),
      expect.stringContaining('tls-error'),
    ]);
  });

  test('what was not requested is listed apart, with the reason', () => {
    const found = Object.fromEntries(
      first.result.unchecked.map(({ url, reason, ...link }) => [url, { reason, on: placesOf(link) }]),
    );
    expect(found).toEqual(
      planted((truth) => (truth.is === 'unchecked' ? { reason: truth.reason } : undefined)),
    );
    expect(site.asked.filter((line) => /closed|logout|unwanted|inside/.test(line))).toEqual([]);
  });

  test('redirects that end well are listed as such', () => {
    // Links with a fragment are planted for what becomes of that.
    const redirected = first.result.redirected.filter(({ url }) => !url.endsWith('/moved-2'));
    const found = Object.fromEntries(
      redirected.map(({ url, to, ...link }) => [url, { to, on: placesOf(link) }]),
    );
    expect(found).toEqual(planted((truth) => (truth.is === 'redirected' ? { to: truth.to } : undefined)));
  });

  test('other sites are asked with HEAD, and with GET where that is refused', () => {
    const other = site.asked.filter((line) => /127\.0\.0\.2:\d+\/(?:ok|no-head)$/.test(line));
    expect(other.map((line) => line.replace(/http.*\//, '')).toSorted()).toEqual([
      'GET no-head',
      'HEAD no-head',
      'HEAD ok',
    ]);
  });

  test('JUnit has a case for each target, and SARIF a result for each place', () => {
    const { broken, unchecked, good } = first.result;
    const xml = readFileSync(join(cwd, 'out/links.xml'), 'utf8');
    expect(xml.match(/<testcase /g)).toHaveLength(broken.length + unchecked.length + good);
    expect(xml.match(/<failure /g)).toHaveLength(broken.length);
    expect(xml.match(/<skipped /g)).toHaveLength(unchecked.length);
    const { runs } = JSON.parse(readFileSync(join(cwd, 'out/links.sarif'), 'utf8')) as {
      runs: { results: { locations: { physicalLocation: { artifactLocation: { uri: string } } }[] }[] }[];
    };
    const places = runs[0]?.results.map(
      (result) => result.locations[0]?.physicalLocation.artifactLocation.uri,
    );
    expect(places?.toSorted()).toEqual(broken.flatMap(({ on }) => on.map(({ page }) => page)).toSorted());
  });
});

/** Fetched by `node test/outside/fetch.ts`. */
const judge = { python: fetchedPython('formats'), schema: fetchedSarifSchema() };

describe.skipIf(judge.python === undefined || judge.schema === undefined)('as other programs read it', () => {
  interface Judged {
    wrong: string[];
    cases: Record<string, number> | null;
  }
  /** Pairs of SARIF and JUnit. */
  function judged(pairs: [string, string][]): Judged[] {
    const words = [join(import.meta.dirname, 'judge_reports.py'), judge.schema ?? ''];
    const options = { input: JSON.stringify(pairs), encoding: 'utf8', maxBuffer: 1e8 } as const;
    return JSON.parse(execFileSync(judge.python ?? '', words, options)) as Judged[];
  }

  function withOneResult(sarif: string): string {
    const log = JSON.parse(sarif) as { runs: [{ results: unknown[] }] };
    log.runs[0].results.length = 1;
    return JSON.stringify(log, null, 2);
  }

  test('SARIF fits the schema of OASIS, a JUnit reader counts the same, and both notice what is wrong', () => {
    const sarif = readFileSync(join(cwd, 'out/links.sarif'), 'utf8');
    const junit = readFileSync(join(cwd, 'out/links.xml'), 'utf8');
    const { broken, unchecked, good } = first.result;
    const one = withOneResult(sarif);
    const [whole, right, ...spoilt] = judged([
      [sarif, junit],
      [one, junit],
      [one.replace('"level": "error"', '"level": "fatal"'), junit.slice(0, -20)],
      [one.replace('"ruleIndex"', '"ruleNumber"'), junit],
      [one.replace('"message": {', '"massage": {'), junit],
      [one.replace(/"uri": "[^"]*"/, '"uri": "no uri"'), junit],
    ]);
    const cases = { failed: broken.length, skipped: unchecked.length, passed: good };
    expect([whole, right]).toEqual([
      { wrong: [], cases },
      { wrong: [], cases },
    ]);
    expect(spoilt.map(({ wrong }) => wrong.length > 0)).toEqual([true, true, true, true]);
    expect(spoilt[0]?.cases).toBeNull();
  });
});

describe('asked again', () => {
  test('it exits with 4 again, and says that nothing was requested', async () => {
    site.asked.length = 0;
    const again = await check(...command, '--json');
    expect([again.exit, again.result.from, site.asked]).toEqual([4, 'earlier', []]);
    expect(again.result.broken).toEqual(first.result.broken);
    const spoken = await check(...command);
    expect(spoken.exit).toBe(4);
    expect(spoken.out).toMatch(
      /result of the check that ended .* ago, from \.\/x\.crawl: nothing was requested\. --fresh/,
    );
    expect(site.asked).toEqual([]);
  });

  test('the screen names every broken link and every page that has it', async () => {
    const { out } = await check('x.crawl');
    expect(out).toContain('links of the crawl in ./x.crawl');
    for (const { url, on } of first.result.broken) {
      expect(out).toContain(url);
      const block = out.slice(out.indexOf(`  ${url}\n`)).split(/\n {2}\S/, 1)[0];
      for (const { page, text } of on)
        expect(block).toContain(text === '' ? `on ${page}` : `on ${page}   “${text}”`);
    }
  });

  test('the threshold decides about the exit code, each time', async () => {
    const count = first.result.broken.length;
    expect((await check('x.crawl', '--allow-broken', String(count))).exit).toBe(0);
    expect((await check('x.crawl', '--allow-broken', String(count - 1))).exit).toBe(4);
    const { exit, result } = await check('x.crawl', '--json', '--ignore', 'regex:.', '--no-anchors');
    expect([exit, result.broken, result.anchors.checked]).toEqual([0, [], 0]);
    expect(result.ignored.every(({ kind }) => kind === 'link')).toBe(true);
    const accepting = await check('x.crawl', '--json', '--accept', '404,403');
    expect(accepting.result.broken.some(({ status }) => status === 404 || status === 403)).toBe(false);
    expect(accepting.result.broken.some(({ status }) => status === 500)).toBe(true);
  });
});
