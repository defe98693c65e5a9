import type { Page } from 'playwright-core';
import { join } from 'node:path';
import { monotonicNs } from '../fake-web/request-log.ts';
import { holds, type Judgement } from '../judge/judge.ts';
import { openBrowser } from '../outside/browser.ts';
import { judgeFolder } from '../prove/judge-folder.ts';
import { until } from '../prove/lab.ts';
import { clusterCrawl, type ClusterWorld, comparedCrawl, openClusterWorld } from './cluster-world.ts';
import { consoleScreens } from './console-screens.ts';
import type { ConsoleScreen } from './screen.ts';
import { expectWithin } from './expect-within.ts';
import { coordinatorOf, staleMs, watchStale } from './lost-coordinator.ts';
import { logIn, openVisitor, tellWhere, type Visitor } from './visitor.ts';

/** What this program is told, as JSON in its first argument. */
export interface ClusterOptions {
  /** Where the folders of all processes go. */
  under: string;
  web: 'S' | 'M';
  /** Pause between two requests to a host while the person walks: it keeps the crawl running until they are through. */
  gapMs: number;
  workers: number;
}

export interface ClusterWalked {
  screens: number;
  /** URLs with an outcome, of those known, when each part of the walk began. */
  progress: Record<'atFirst' | 'atKill' | 'afterKill' | 'atEnd', { settled: number; known: number }>;
  /** Screens whose figures were compared with the API of a coordinator, before, at and after the kill. */
  compared: number;
  /** For how long the mark of each screen said that its figures were stale. */
  staleMs: { screens: number; median: number; longest: number };
  seconds: Record<string, number>;
  judgement: Pick<
    Judgement,
    'expected' | 'recorded' | 'lost' | 'extra' | 'duplicates' | 'wrong' | 'repeats' | 'gapViolations'
  >;
  wrong: string[];
}

/** Until a tab has reached one of three coordinators. */
const mostLoads = 50;
/** Figures follow the stream. */
const catchUpMs = 15_000;
const apiBehindMs = 5_000;
/** A coordinator that is gone is counted out when its lease ends: until then the API is ahead of nobody. */
const figureTries = 6;
const finishWithinMs = 1_800_000;

/**
 * One of the coordinators is killed, workers keep what they fetch, no crawl has the name that is typed for a new one, and a list of
 * what changed in a crawl that runs is asked for until the coordinator is reached that has it.
 */
const isProvoked = (text: string, about: string): boolean =>
  /WebSocket|502|503|504|ERR_/.test(text) ||
  (text.includes('410') && /\/compare\?.*&change=/.test(about)) ||
  (text.includes('404') && /\/v1\/crawls\/([^/]+\/files\/archive%2F[^/]+|another)$/.test(about));

/**
 * Run in a network of its own: a person opens every screen while two workers crawl a web whose right answer is known, has all
 * of them open in tabs of the coordinator that is killed, and opens each once more on the two that are left.
 */
async function walkCluster(options: ClusterOptions): Promise<ClusterWalked> {
  const seconds: Record<string, number> = {};
  const timed = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const from = performance.now();
    const made = await work();
    seconds[name] = Math.round((performance.now() - from) / 100) / 10;
    console.error(`  ${name}: ${seconds[name]} s`);
    return made;
  };
  const world = await timed('prepare', () => openClusterWorld(options));
  const browser = await openBrowser();
  let at: Visitor | undefined;
  try {
    const visitor = await openVisitor(browser, {
      url: world.url,
      expected: isProvoked,
    });
    at = visitor;
    await logIn(visitor, world.url, world.token);
    const screens = consoleScreens({
      crawl: clusterCrawl,
      compared: comparedCrawl,
      url: world.firstUrl,
      crawls: world.crawls,
      known: undefined,
      workers: options.workers,
      workerName: 'worker',
    });
    const progress = {} as ClusterWalked['progress'];
    const note = async (when: keyof ClusterWalked['progress'], n: number) => {
      const { done, failed, refused, known } = await world.balance(n);
      progress[when] = { settled: done + failed + refused, known };
    };
    const wrong: string[] = [];
    await note('atFirst', 0);
    wrong.push(...(await timed('before', () => visitAll(visitor, { world, screens, ask: 0 }))));
    const tabs = await timed('tabs', () => openTabs(visitor, world, screens));
    await note('atKill', tabs.survivor);
    const killed = await timed('kill', () => loseOne(tabs, world));
    wrong.push(...killed.wrong);
    await note('afterKill', tabs.survivor);
    wrong.push(
      ...(await timed('after', () => visitAll(visitor, { world, screens, ask: tabs.survivor }))).map(
        (what) => `after the kill: ${what}`,
      ),
    );
    const state = (await world.apiAt(tabs.survivor).getCrawl({ params: { crawl: clusterCrawl } })).state;
    if (state !== 'running') wrong.push(`the crawl was ${state} before the person was through`);
    await timed('finish', () => finish(visitor, world, tabs.survivor));
    await note('atEnd', tabs.survivor);
    const crawlScreen = screens.filter(({ name }) => name === 'crawl' || name === 'urls' || name === 'home');
    for (const screen of crawlScreen)
      wrong.push(...(await compare(visitor.page, { world, screen, ask: tabs.survivor, open: true })));
    const judgement = await timed('judge', () =>
      judgeFolder(
        world.fake,
        join(world.coordinators[tabs.survivor]?.folder ?? '', 'crawls', clusterCrawl),
        world.expect,
        world.robotsRead,
      ),
    );
    if (!holds(judgement))
      wrong.push(
        `the crawl is not as the web is: ${JSON.stringify(judgement).slice(0, 3_000)}`,
        ...(await tellRepeats(world, killed.atNs)),
      );
    wrong.push(...visitor.noticed.errors.map((what) => `error: ${what}`));
    wrong.push(...visitor.noticed.foreign.map((url) => `asked elsewhere: ${url}`));
    wrong.push(...visitor.noticed.violations.map((what) => `violated its policy: ${what}`));
    const { expected, recorded, lost, extra, duplicates, wrong: wrongly, repeats, gapViolations } = judgement;
    return {
      screens: screens.length,
      progress,
      compared: 3 * screens.filter(({ figures }) => figures).length + crawlScreen.length,
      staleMs: killed.staleMs,
      seconds,
      judgement: { expected, recorded, lost, extra, duplicates, wrong: wrongly, repeats, gapViolations },
      wrong,
    };
  } catch (error) {
    await tellWhere(at);
    throw error;
  } finally {
    await browser.close();
    await world.stop();
  }
}

interface Looking {
  world: ClusterWorld;
  /** The coordinator that is asked for the right figures. */
  ask: number;
}

/** Opens each screen, compares its figures, and does something there. */
async function visitAll(
  { page }: Visitor,
  { screens, ...looking }: Looking & { screens: ConsoleScreen[] },
): Promise<string[]> {
  const wrong: string[] = [];
  for (const screen of screens) {
    const from = performance.now();
    const found = await compare(page, { ...looking, screen, open: true });
    found.push(...(await expectWithin(screen.act(page), `${screen.name} does not react`)));
    console.error(`    ${screen.name} ${Math.round(performance.now() - from)} ms ${found.join('; ')}`);
    wrong.push(...found);
  }
  return wrong;
}

/**
 * The screen shows what a coordinator says. Counts of a crawl that runs only grow: the screen must reach what was said before
 * it was read, and may not be ahead of what is said afterwards. Where nothing moves both are the same.
 */
async function compare(
  page: Page,
  { world, ask, screen, open }: Looking & { screen: ConsoleScreen; open: boolean },
): Promise<string[]> {
  const { name, path, shows, figures } = screen;
  if (open) await page.goto(world.url + path);
  const empty = await expectWithin(shows(page), `${name} shows nothing`);
  if (!figures || empty.length > 0) return empty;
  let [told, isRight] = ['', false];
  for (let tries = 0; tries < figureTries && !isRight; tries++) {
    const before = await figures.said(world.apiAt(ask));
    const reached = (shown: number[]) =>
      shown.length === before.length && shown.every((n, at) => n >= (before[at] ?? Number.NaN));
    let shown: number[] = [];
    const catchesUp = async () => reached((shown = await figures.shown(page)));
    await until('the screen to catch up', catchesUp, catchUpMs).catch(() => undefined);
    // The API may say what it last saw, and the tab follow a coordinator that has looked since.
    let after: number[] = [];
    const isBehind = (): boolean => shown.every((n, at) => n <= (after[at] ?? Number.NaN));
    const hasReached = async () => {
      after = await figures.said(world.apiAt(ask));
      return isBehind();
    };
    await until('the API to catch up', hasReached, apiBehindMs).catch(() => undefined);
    told = `${shown.join()}, not ${before.join()} to ${after.join()}`;
    isRight = reached(shown) && isBehind();
  }
  return isRight ? [] : [`${name} shows ${told}`];
}

interface Tabs {
  ids: readonly string[];
  victim: number;
  survivor: number;
  pages: { screen: ConsoleScreen; page: Page }[];
}

/** Every screen in a tab of its own, all connected to one coordinator: the proxy gives each load another one. */
async function openTabs(visitor: Visitor, world: ClusterWorld, screens: ConsoleScreen[]): Promise<Tabs> {
  const ids = await Promise.all(world.coordinators.map(async (one) => (await one.status()).coordinator.id));
  await visitor.page.goto(world.url);
  const victim = await coordinatorOf(visitor.page, ids);
  const pages: Tabs['pages'] = [];
  for (const screen of screens.filter(({ isLive }) => isLive)) {
    const page = await visitor.openTab();
    await page.goto(world.url + screen.path);
    pages.push({ screen, page });
  }
  const tabs = { ids, victim, survivor: (victim + 1) % world.coordinators.length, pages };
  await connectAll(tabs);
  return tabs;
}

/** Loads each tab again until it is connected to the coordinator to be killed; one may have lost it on a busy machine. */
async function connectAll({ ids, victim, pages }: Tabs): Promise<void> {
  for (const { screen, page } of pages) {
    for (let loads = 0; (await coordinatorOf(page, ids)) !== victim; loads++) {
      if (loads === mostLoads) throw new Error(`${screen.name} never reached the coordinator to be killed`);
      await page.reload();
    }
    await screen.shows(page);
  }
}

/** Each of the screens says that its figures are stale, and then shows those of a coordinator that is left. */
async function loseOne(tabs: Tabs, world: ClusterWorld) {
  const { victim, survivor, pages } = tabs;
  await connectAll(tabs);
  await Promise.all(pages.map(({ page }) => watchStale(page)));
  const atNs = monotonicNs();
  await world.coordinators[victim]?.kill();
  const wrong: string[] = [];
  const times: number[] = [];
  for (const { screen, page } of pages) {
    const ms = await staleMs(page);
    if (ms === undefined) wrong.push(`${screen.name} did not say that its figures were stale`);
    else times.push(ms);
    wrong.push(
      ...(await compare(page, { world, ask: survivor, screen, open: false })).map(
        (what) => `in its tab ${what}`,
      ),
    );
    await page.close();
  }
  times.sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)] ?? -1;
  return { wrong, atNs, staleMs: { screens: times.length, median, longest: times.at(-1) ?? -1 } };
}

/** When the first URLs that were asked for twice were, to see what came between. */
async function tellRepeats({ fake }: ClusterWorld, killedAtNs: number): Promise<string[]> {
  const log = await fake.log();
  const seconds = (atNs: number) => ((atNs - (log[0]?.startNs ?? 0)) / 1e9).toFixed(1);
  const pages = Map.groupBy(
    log.filter(({ path }) => path !== '/robots.txt'),
    ({ scheme, host, path }) => `${scheme}://${host}${path}`,
  );
  const told = [...pages]
    .filter(([, requests]) => requests.length > 1)
    .slice(0, 5)
    .map(
      ([url, requests]) =>
        `${url} ${requests.map((one) => `${seconds(one.startNs)} s ${one.status}`).join(', ')}`,
    );
  return [`asked for more than once, killed at ${seconds(killedAtNs)} s: ${told.join('; ')}`];
}

/** The person makes the crawl faster, and looks on until it is over. */
async function finish({ page }: Visitor, world: ClusterWorld, ask: number): Promise<void> {
  await page.goto(`${world.url}/crawls/${clusterCrawl}`);
  await page.getByRole('textbox', { name: 'Pause between requests' }).fill('0.05');
  await page.getByRole('button', { name: 'Save changes' }).click();
  const params = { crawl: clusterCrawl };
  await until(
    'the crawl to finish',
    async () => (await world.apiAt(ask).getCrawl({ params })).state === 'finished',
    finishWithinMs,
  );
  await page.locator('.crawl-head .state', { hasText: 'finished' }).waitFor();
}

if (import.meta.main) {
  const walked = await walkCluster(JSON.parse(process.argv[2] ?? '{}') as ClusterOptions);
  process.stdout.write(JSON.stringify(walked), () => process.exit(0));
}
