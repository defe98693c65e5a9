// watches: packages/worker/src/mirror, packages/worker/src/save, packages/worker/src/stored
// watches: packages/worker/src/archive, packages/cli/src/export
// misses: a mirror with dead links, missing parts or names that a system cannot store
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobInput } from '@webfarer/protocol';
import type { Browser } from 'playwright-core';
import { withoutTracking } from '../fake-web/answer.ts';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import { copyWith } from '../faults/changed-source.ts';
import { openBrowser } from '../outside/browser.ts';
import { lookAtMirror, type MirrorLook } from '../outside/look-at-mirror.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { briskJob, smallJob, startCrawler, workFolder, writeJob } from './lab.ts';
import { nameProblems } from './mirror-names.ts';
import { type MirrorSite, startMirrorSite } from './mirror-site.ts';

/** Pages of each web that are opened in the quick form, and those of the site that have more to show than their name. */
const sample = 15;
const telling = /\/(?:kinds|based|refresh|frames|legacy|127[^/]*\/index)\.html$/;

/** The product that ends itself in the middle of its mirror: after this many batches of a few files each. */
const killsItself = [
  {
    file: 'packages/worker/src/mirror/copies.ts',
    from: 'const maxBatchFiles = 128;',
    to: 'const maxBatchFiles = 10;\nlet flushed = 0;',
  },
  {
    file: 'packages/worker/src/mirror/copies.ts',
    from: 'await files.write(batch);',
    to: "await files.write(batch);\n    if (++flushed === 3) process.kill(process.pid, 'SIGKILL');",
  },
];

/**
 * A site of hostile names, whose pages need everything that a page can need, and the fake web are mirrored and opened in
 * Chromium from disk, with no network: nothing is missing, no link leaves the folder whose page is in it, and each
 * leads to the page that it names. Names are judged by the rules of Windows and macOS. A crawler that is killed while it
 * crawls and in the middle of its mirror ends with the same folder. Control: a mirror that is damaged on purpose.
 */
export async function prove({ quick }: ProofOptions): Promise<ProofResult> {
  const work = workFolder('mirror');
  const [site, fake, browser] = await Promise.all([
    startMirrorSite(),
    startFakeWeb({ size: 'S', seed: 1 }),
    openBrowser(),
  ]);
  try {
    const hostile = join(work.path, 'hostile.crawl');
    await mirror(hostile, siteJob(site));
    const pages = pagesIn(hostile);
    const look = await lookAtMirror(browser, quick ? sampleOf(pages) : pages, { titled: true });
    const own = judgeSite(site, hostile, look);
    const again = join(work.path, 'killed.crawl');
    const command = copyWith(killsItself, join(work.path, 'copy'));
    const killed = await mirrorKilled(again, site, { command, kills: quick ? 1 : 2 });
    const differs = differences(hostile, again);
    const web = await mirrorWeb(fake, browser, { folder: join(work.path, 'web.crawl'), quick });
    const control = await damaged(site, browser, hostile);
    const clean = [own, web].every(
      ({ missing, dangling, leaving, misled, names }) => missing + dangling + leaving + misled + names === 0,
    );
    const ok =
      clean &&
      own.unloaded.length === 0 &&
      own.ran &&
      own.legacy &&
      killed.length === (quick ? 1 : 2) &&
      differs.length === 0 &&
      control.missing > 0 &&
      control.leaving > 0 &&
      web.pages > 5;
    return {
      ok,
      result: { hostile: own, web, killed, differs: differs.slice(0, 5), control, sizes: { web: 'S' } },
    };
  } finally {
    await browser.close();
    await fake.stop();
    await site.stop();
    work.remove();
  }
}

function siteJob(site: MirrorSite): JobInput {
  return {
    name: 'hostile',
    seeds: [site.seed],
    contact: 'https://lab.test/crawler',
    scope: { stay: 'host' },
    limits: { minFree: '50MB' },
    politeness: { gap: '2ms', slowFactor: 0 },
    fetch: { allowPrivate: site.origins, retries: { poisonAfter: 35 } },
    mirror: {},
  };
}

async function mirror(folder: string, job: JobInput): Promise<void> {
  await writeJob(`${folder}.json`, job);
  const crawler = startCrawler(`${folder}.json`, folder);
  const code = await crawler.ended;
  if (code !== 0) throw new Error(`the crawl ended with ${code}:\n${crawler.output()}`);
}

interface Killing {
  /** The product that ends itself in its mirror. */
  command: string;
  /** With two the first is at a request. */
  kills: number;
}

/** Killed in the middle of the mirror, and before that on the way; answers what ended each run but the last. */
async function mirrorKilled(folder: string, site: MirrorSite, { command, kills }: Killing) {
  const ends: (number | string)[] = [];
  await writeJob(`${folder}.json`, siteJob(site));
  for (let run = 2 - kills; run < 3; run++) {
    const before = site.log.length;
    const crawler = startCrawler(`${folder}.json`, folder, run === 1 ? { command } : {});
    if (run === 0) {
      const isEarly = () => site.log.length < before + 20 && crawler.child.exitCode === null;
      while (isEarly()) await new Promise((done) => setTimeout(done, 2));
      crawler.child.kill('SIGKILL');
    }
    const code = await crawler.ended;
    if (run === 2 && code === 0) return ends;
    if (code !== 'SIGKILL') throw new Error(`the crawler ended with ${code}:\n${crawler.output()}`);
    if (run === 1 && (filesIn(folder).length === 0 || existsSync(join(folder, 'mirror/index.html'))))
      throw new Error('the mirror was not in its middle when it was killed');
    ends.push(code);
  }
  throw new Error('the crawl did not end');
}

interface Judgement {
  pages: number;
  files: number;
  links: number;
  missing: number;
  dangling: number;
  leaving: number;
  misled: number;
  names: number;
  examples: string[];
}

function judged(folder: string, look: MirrorLook, isThere: (url: string) => boolean): Judgement {
  const paths = filesIn(folder);
  const names = nameProblems(paths);
  const missing = [...look.failed, ...look.network.filter(isThere)];
  const leaving = look.leaving.filter(isThere);
  const { pages, links, dangling, misled } = look;
  const examples = [...missing, ...leaving, ...dangling, ...misled, ...names].slice(0, 8);
  const counts = {
    dangling: dangling.length,
    leaving: leaving.length,
    misled: misled.length,
    names: names.length,
  };
  return { pages, files: paths.length, links, missing: missing.length, ...counts, examples };
}

/** By what the site has: whatever it serves is within the crawl, so all of it is in the folder. */
function judgeSite(site: MirrorSite, folder: string, look: MirrorLook) {
  const pageOf = (name: string) => [...look.loaded.keys()].find((file) => file.endsWith(name)) ?? '';
  const kinds = pageOf('/kinds.html');
  const loaded = [...(look.loaded.get(kinds) ?? [])].map((url) => /([^/.]+)\.\w+$/.exec(url)?.[1]);
  return {
    ...judged(folder, look, (url) => site.has(url)),
    unloaded: site.kinds.filter((name) => !loaded.includes(name)),
    ran: loaded.includes('run') && !readFileSync(kinds, 'utf8').includes('integrity'),
    legacy: readFileSync(pageOf('/legacy.html'), 'utf8').includes('Привет'),
  };
}

/** By what the fake web was asked for and answered: that is in the folder. */
async function mirrorWeb(
  fake: FakeWeb,
  browser: Browser,
  { folder, quick }: { folder: string; quick: boolean },
): Promise<Judgement> {
  const { job } = quick ? smallJob(fake) : briskJob(fake);
  await mirror(folder, { ...job, mirror: {} });
  const served = new Set<string>();
  for (const { scheme, host, path, status, cut } of await fake.log())
    if (status === 200 && cut === undefined) served.add(`${scheme}://${host}${path}`);
  // What is not saved by its type is not in the folder.
  for (const { url, verdict } of fake.web.expected())
    if (verdict === 'refused') served.delete(withoutPort(url));
  const pages = pagesIn(folder);
  const look = await lookAtMirror(browser, quick ? sampleOf(pages) : pages, { titled: false });
  return judged(folder, look, (url) => served.has(canonical(url)));
}

function withoutPort(url: string): string {
  return url.replace(/^(https?:\/\/[^/:]+):\d+/, '$1');
}

function sampleOf(pages: readonly string[]): string[] {
  const step = Math.max(1, Math.floor(pages.length / sample));
  return pages.filter((file, i) => i % step === 0 || telling.test(file));
}

/** The same page under another spelling, as its server sees it. */
function canonical(url: string): string {
  const { protocol, hostname, pathname, searchParams } = new URL(url);
  searchParams.sort();
  const query = searchParams.toString();
  return `${protocol}//${hostname}${withoutTracking(query === '' ? pathname : `${pathname}?${query}`)}`;
}

/** The judge must see what is wrong with a mirror that lacks an image and links a page of its own on the web. */
async function damaged(site: MirrorSite, browser: Browser, folder: string) {
  const kinds = pagesIn(folder).find((file) => file.endsWith('/kinds.html')) ?? '';
  const html = readFileSync(kinds, 'utf8');
  writeFileSync(kinds, html.replace(/<a href="[^"]*"/, `<a href="${site.seed}case"`));
  const image = filesIn(folder).find((path) => path.endsWith('r/poster.png')) ?? '';
  rmSync(join(folder, 'mirror', image));
  const look = await lookAtMirror(browser, [kinds], { titled: true });
  const { missing, leaving } = judged(folder, look, (url) => site.has(url));
  return { missing, leaving };
}

function filesIn(folder: string): string[] {
  const root = join(folder, 'mirror');
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .toSorted();
}

function pagesIn(folder: string): string[] {
  const isPage = (path: string) => /\.x?html?$/.test(path) && path !== 'index.html';
  return filesIn(folder)
    .filter(isPage)
    .map((path) => join(folder, 'mirror', path));
}

/** Files that only one of two mirrors has, or that are not the same in both. */
function differences(one: string, other: string): string[] {
  const digests = (folder: string) =>
    new Map(
      filesIn(folder).map((path) => [
        path,
        createHash('sha256')
          .update(readFileSync(join(folder, 'mirror', path)))
          .digest('hex'),
      ]),
    );
  const [a, b] = [digests(one), digests(other)];
  return [...new Set([...a.keys(), ...b.keys()])].filter((path) => a.get(path) !== b.get(path));
}
