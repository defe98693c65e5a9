import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { loginScreens, showHostileLogins, useLogins } from './logins-walk.ts';
import { readCharts } from './charts.ts';
import { livesOfCrawls } from './crawl-life-walk.ts';
import { dataScreens, showHostileData, walkData } from './data-walk.ts';
import { expectWithin } from './expect-within.ts';
import { beginHostMap, hostMapScreens, walkHostMap } from './host-map-walk.ts';
import { showHostileHosts, walkHosts } from './hosts.ts';
import { hostileStrings } from './hostile-strings.ts';
import { adminScreens, useAdmin } from './admin-walk.ts';
import { jobScreens, showHostileJobs, walkJobs } from './jobs-walk.ts';
import { watchLocalCrawl } from './local-crawl.ts';
import { openBrowser } from '../outside/browser.ts';
import { keepOrientation } from './orientation-walk.ts';
import { ownerScreens, useOwnersPage } from './owners-walk.ts';
import { usePeople } from './people-walk.ts';
import { useNetwork } from './network-walk.ts';
import { useStores } from './stores-walk.ts';
import { isTooWide, logIn, openVisitor, seriousIn, tellWhere, type Visitor } from './visitor.ts';
import {
  compareOneUrl,
  compareUrls,
  doUrlTasks,
  showHostileUrls,
  type UrlTasks,
  urlScreens,
  useUrlTable,
} from './walk-urls.ts';
import { scopeScreens, showHostileScope, walkScope } from './scope-walk.ts';
import { graphScreens, showHostileGraph, walkGraph } from './graph-walk.ts';
import { showHostileStatistics, statsScreens, walkStatistics } from './stats-walk.ts';
import { timesScreens, walkTimes } from './times-walk.ts';
import { stopEverything, stopScreens } from './stop-walk.ts';
import { openWorld, startCrawls, type World } from './world.ts';

/** What this program is told, as JSON in its first argument. */
export interface WalkOptions {
  folder: string;
  consoleFolder: string;
  /** How every screen is looked at. */
  looks: readonly Look[];
  /** Only the hostile texts are shown. */
  isShort: boolean;
  /** Undefined: no pictures. */
  pictures?: string | undefined;
}

export interface Look {
  width: 1440 | 1024 | 390;
  scheme: 'light' | 'dark';
}

/** What came of it. Counts of what went wrong, and figures. */
export interface Walked extends UrlTasks {
  foreignRequests: string[];
  violations: string[];
  errors: string[];
  /** Screens and schemes on which axe looked, and what it found serious. */
  looked: number;
  serious: string[];
  firstLoadBytes: number;
  startClicks: number;
  slowClicks: number;
  waitClicks: number;
  stopAllClicks: number;
  compareClicks: number;
  startMs: number;
  /** From typing `webfarer crawl SITE --ui` to the screen that says finished; reported, not judged. */
  localMs: number;
  /** Requests to the site before the crawl was started. */
  previewRequests: number;
  scriptsRun: number;
  hostileShown: number;
  layoutsBroken: string[];
  /** Where the token was found: only the tab's own storage may have it. */
  tokenIn: string[];
  /** Steps of the walk that did not come out as they should. */
  wrong: string[];
}

/** Of a screen, a small screen and a phone. */
const heights: Readonly<Record<Look['width'], number>> = { 1440: 900, 1024: 768, 390: 844 };
/** Of each kind: a page takes a second. */
const hostilePages = 8;

/** Crawls and captures that do not exist are asked for, and a coordinator that is gone. */
const isProvoked = (text: string, about: string): boolean =>
  (text.includes('404') && /\/v1\/crawls\/[^/]*(\/compare\?.*|\/files\/archive%2F%3C.*)?$/.test(about)) ||
  (text.includes('409') && about.endsWith('/v1/teams/research')) ||
  (text.includes('400') && /\/(url|explain)\?url=|\/schedule-preview$/.test(about)) ||
  /WebSocket|ERR_CONNECTION_(REFUSED|RESET)|503/.test(text);

/** Run in a network of its own: a person uses every screen of the console on live crawls. */
async function walk({ folder, consoleFolder, looks, isShort, pictures }: WalkOptions): Promise<Walked> {
  // Accounts of sites are the walk's own.
  process.env.WEBFARER_STATE = join(folder, 'state');
  const world = await openWorld(folder, consoleFolder);
  const browser = await openBrowser();
  let at: Visitor | undefined;
  try {
    await startCrawls(world.api);
    const stranger = await openVisitor(browser, { url: world.url, expected: (text) => text.includes('401') });
    const refused = await refuseWrongToken(stranger, world);
    const visitor = await openVisitor(browser, {
      url: world.url,
      expected: isProvoked,
    });
    const { page } = visitor;
    at = visitor;
    await page.goto(`${world.url}/`);
    await page.getByRole('textbox', { name: 'Token' }).waitFor();
    await logIn(visitor, world.url, world.token);
    await page.locator('.crawl-card').nth(6).waitFor();
    const firstLoadBytes = visitor.received();
    const wrong = [...refused];
    let compareClicks = 0;
    let [started, hostClicks] = [notStarted, { slowClicks: 0, waitClicks: 0 }];
    if (!isShort) {
      wrong.push(...(await useKeys(visitor)), ...(await compareFigures(visitor, world)));
      await beginHostMap(world);
      started = await startCrawl(visitor, world);
      wrong.push(...started.wrong, ...(await steer(visitor, world)));
      wrong.push(...(await readCharts(visitor, world)));
      const { wrong: wrongHosts, ...clicks } = await walkHosts(visitor, world);
      hostClicks = clicks;
      wrong.push(...wrongHosts, ...(await useNetwork(visitor, world, folder)));
      wrong.push(...(await useStores(visitor, world, folder)));
      wrong.push(...(await compareUrls(visitor, world)), ...(await useUrlTable(visitor, world)));
      wrong.push(...(await compareOneUrl(visitor, world)));
      wrong.push(...(await keepOrientation(page, world)), ...(await livesOfCrawls(page, world)));
      wrong.push(...(await walkJobs(visitor, world)));
      const data = await walkData(visitor, world);
      wrong.push(...data.wrong);
      compareClicks = data.compareClicks;
      wrong.push(...(await walkStatistics(visitor, world)), ...(await walkGraph(visitor, world)));
      wrong.push(...(await walkScope(visitor, world)));
      wrong.push(...(await walkTimes(visitor, world)));
      wrong.push(...(await walkHostMap(visitor, world)));
      wrong.push(...(await useLogins(visitor, world)));
    }
    if (!isShort) wrong.push(...(await useAdmin(visitor, world)));
    const owners = isShort ? undefined : await useOwnersPage(browser, world);
    wrong.push(...(owners?.wrong ?? []));
    const people = isShort ? undefined : await usePeople(browser, world);
    wrong.push(...(people?.wrong ?? []));
    const seen = await look(visitor, world, { looks, pictures });
    const urls = isShort
      ? { wrong: [], tasks: { whySkippedClicks: 0, retryClicks: 0 } }
      : await doUrlTasks(visitor, world);
    wrong.push(...urls.wrong);
    const stopped = isShort ? { wrong: [], stopAllClicks: 0 } : await stopEverything(visitor, world);
    wrong.push(...stopped.wrong);
    const hostile = await showHostile(visitor, world);
    if (!isShort) wrong.push(...(await loseConnection(visitor, world)));
    const tokenIn = await findToken(visitor, world.token);
    const local = isShort ? undefined : await watchLocalCrawl(browser, { folder, consoleFolder, pictures });
    wrong.push(...(local?.wrong ?? []));
    const all = [
      visitor.noticed,
      stranger.noticed,
      ...(local ? [local.noticed] : []),
      ...(owners ? [owners.noticed] : []),
      ...(people?.noticed ?? []),
    ];
    return {
      foreignRequests: all.flatMap(({ foreign }) => foreign),
      violations: all.flatMap(({ violations }) => violations),
      errors: all.flatMap(({ errors }) => errors),
      localMs: local?.localMs ?? 0,
      firstLoadBytes,
      ...started.figures,
      ...hostClicks,
      stopAllClicks: stopped.stopAllClicks,
      compareClicks,
      ...urls.tasks,
      ...hostile,
      ...seen,
      layoutsBroken: [...hostile.layoutsBroken, ...seen.layoutsBroken],
      tokenIn,
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

async function refuseWrongToken({ page }: Visitor, { url }: World): Promise<string[]> {
  await page.goto(`${url}/crawls/museum.example`);
  await page.getByRole('textbox', { name: 'Token' }).fill('not-a-token');
  await page.getByRole('button', { name: 'Log in' }).click();
  return await expectWithin(
    page.getByText('does not accept this token').waitFor(),
    'a wrong token is not refused',
  );
}

async function useKeys({ page }: Visitor): Promise<string[]> {
  await page.keyboard.press('?');
  const help = await expectWithin(page.getByRole('dialog').waitFor(), '? shows no list of keys');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.keyboard.press('/');
  await page.keyboard.type('press');
  const found = await expectWithin(page.getByText('1 of 7 crawls').waitFor(), '/ does not search');
  const isKept = page.url().endsWith('/?q=press') ? [] : [`the search is not in the address: ${page.url()}`];
  await page.getByRole('link', { name: 'press.example' }).click();
  await page.getByRole('heading', { level: 1, name: 'press.example' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('c');
  const home = await expectWithin(page.getByText(/^7 crawls/).waitFor(), 'g c does not lead to the list');
  return [...help, ...found, ...isKept, ...home];
}

/** The screen says what the API says, of a crawl that is over. */
async function compareFigures({ page }: Visitor, { api, url }: World): Promise<string[]> {
  const wrong: string[] = [];
  for (const crawl of ['press.example', 'ill.example']) {
    await page.goto(`${url}/crawls/${crawl}`);
    await page.getByText('finished', { exact: true }).first().waitFor();
    const { progress } = await api.getCrawl({ params: { crawl } });
    const shown = await page.locator('.legend dd').allTextContents();
    const { done, failed, refused, leased, queued, known } = progress?.balance ?? {
      done: -1,
      failed: -1,
      refused: -1,
      leased: -1,
      queued: -1,
      known: -1,
    };
    const right = [done, failed, refused, leased, queued, known].join();
    if (shown.join() !== right) wrong.push(`${crawl} shows ${shown.join()}, not ${right}`);
  }
  return wrong;
}

type Started = { wrong: string[]; figures: Pick<Walked, 'startClicks' | 'startMs' | 'previewRequests'> };
const notStarted: Started = { wrong: [], figures: { startClicks: 0, startMs: 0, previewRequests: 0 } };

async function startCrawl(visitor: Visitor, world: World): Promise<Started> {
  const { page } = visitor;
  await page.goto(`${world.url}/`);
  const field = page.getByRole('textbox', { name: 'Address of a site' });
  await field.waitFor();
  const [clicksBefore, began] = [visitor.clicks(), performance.now()];
  await visitor.click(field);
  await page.keyboard.type('example.org');
  await visitor.click(page.getByRole('button', { name: 'Preview' }));
  const facts = page.locator('.facts');
  await facts.getByText('example.org and its subdomains').waitFor();
  await facts.getByText('No rule of this network').waitFor();
  const told = await facts.innerText();
  const wrong = ['robots.txt', '1 s apart', '5,000 pages'].filter((words) => !told.includes(words));
  const previewRequests = world.requestsTo('example.org');
  await visitor.click(page.getByRole('button', { name: 'Start crawl' }));
  await page.getByRole('heading', { level: 1, name: 'example.org' }).waitFor();
  const fetched = page.locator('.legend dd').first();
  await fetched.filter({ hasText: /[1-9]/ }).waitFor();
  const startMs = Math.round(performance.now() - began);
  return {
    wrong: wrong.map((words) => `the preview does not say "${words}"`),
    figures: { startClicks: visitor.clicks() - clicksBefore, startMs, previewRequests },
  };
}

/** On the crawl that was just started. */
async function steer({ page }: Visitor, { api }: World): Promise<string[]> {
  const params = { crawl: 'example.org' };
  const state = async () => (await api.getCrawl({ params })).state;
  const badge = (words: string) => page.locator('.crawl-head .state', { hasText: words }).waitFor();
  const wrong: string[] = [];
  await page.getByRole('button', { name: 'Pause' }).click();
  await badge('paused');
  if ((await state()) !== 'paused') wrong.push('Pause does not pause');
  await page.getByRole('button', { name: 'Resume' }).click();
  await badge('running');
  await page.getByRole('textbox', { name: 'Pause between requests' }).fill('0.2');
  await page.getByRole('button', { name: 'Save changes' }).click();
  wrong.push(
    ...(await expectWithin(
      page.locator('.events code', { hasText: 'politeness.gap' }).first().waitFor(),
      'no change in the history',
    )),
  );
  const { job } = await api.getCrawl({ params });
  const { gap } = job['politeness'] as { gap: unknown };
  if (gap !== '200ms') wrong.push(`the pace is ${String(gap)}, not 200ms`);
  wrong.push(...(await expectWithin(page.locator('.plot canvas').nth(2).waitFor(), 'there are no charts')));
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
  await badge('stopped');
  if ((await state()) !== 'stopped') wrong.push('Stop does not stop');
  return wrong;
}

const hostileParts = [
  showHostileLogins,
  showHostileUrls,
  showHostileJobs,
  showHostileData,
  showHostileStatistics,
  showHostileGraph,
  showHostileScope,
];

async function timed(name: string, work: () => Promise<void>): Promise<void> {
  const from = performance.now();
  await work();
  console.error(`  ${name}: ${Math.round((performance.now() - from) / 100) / 10} s`);
}

/** Every hostile text in the fields that a site, a person or an address can fill. */
async function showHostile(visitor: Visitor, world: World) {
  const { page } = visitor;
  const { api, url } = world;
  const layoutsBroken: string[] = [];
  let [scriptsRun, hostileShown] = [0, 0];
  async function judge(where: string): Promise<void> {
    hostileShown++;
    if ((await page.evaluate('globalThis.__ran')) !== undefined) scriptsRun++;
    if (await isTooWide(page)) layoutsBroken.push(where.slice(0, 80));
  }
  for (const text of hostileStrings) {
    const body = {
      job: { seeds: ['http://hostile.example/'], name: text.slice(0, 80), limits: { pages: 1 } },
    };
    await api.createCrawl({ body: { ...body, tags: [text.slice(0, 90) || 'x'] } }).catch(() => undefined);
  }
  await page.goto(`${url}/`);
  const search = page.getByRole('searchbox');
  // Cards with the names of all: those in sight, and what comes when one scrolls.
  for (let at = 0; at < 8; at++) {
    await page.mouse.wheel(0, 800);
    await judge(`cards ${at}`);
  }
  for (const text of hostileStrings) {
    await search.fill(text);
    await judge(`search ${text}`);
  }
  const { items } = await api.listCrawls({ query: { limit: 200 } });
  for (const { name } of items.slice(-hostilePages)) {
    await page.goto(`${url}/crawls/${encodeURIComponent(name)}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await judge(`crawl ${name}`);
  }
  for (const text of hostileStrings.slice(0, hostilePages)) {
    await page.goto(
      `${url}/crawls/${encodeURIComponent(text)}x?q=${encodeURIComponent(text)}#${encodeURIComponent(text)}`,
    );
    await page.getByText('There is no crawl').waitFor();
    await judge(`address ${text}`);
  }
  const hosts = await showHostileHosts(visitor, world);
  if ((await page.evaluate('globalThis.__ran')) !== undefined) scriptsRun++;
  hostileShown += hosts.shown;
  layoutsBroken.push(...hosts.layoutsBroken);
  for (const show of hostileParts) await timed(show.name, () => show(visitor, world, judge));
  return { scriptsRun, hostileShown, layoutsBroken };
}

/** Every screen in every size and scheme: axe judges it, and it is photographed. */
async function look(
  { page }: Visitor,
  { url }: World,
  { looks, pictures }: Pick<WalkOptions, 'looks' | 'pictures'>,
) {
  if (pictures !== undefined) mkdirSync(pictures, { recursive: true });
  const serious: string[] = [];
  const layoutsBroken: string[] = [];
  let looked = 0;
  for (const { width, scheme } of looks) {
    await page.setViewportSize({ width, height: heights[width] });
    await page.emulateMedia({ colorScheme: scheme });
    for (const screen of allScreens) {
      await page.goto(url + screen.path);
      await screen.ready(page);
      looked++;
      const name = `${screen.name}-${width}-${scheme}`;
      serious.push(...(await seriousIn(page)).map((what) => `${name}: ${what}`));
      if (await isTooWide(page)) layoutsBroken.push(name);
      if (pictures !== undefined)
        await page.screenshot({
          path: join(pictures, `${name}.png`),
          ...(isWhole(screen.name) ? { fullPage: true, clip: { x: 0, y: 0, width, height: tallest } } : {}),
        });
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  return { looked, serious, layoutsBroken };
}

/** Pictures show the whole screen, not its first sight. */
const isWhole = (name: string): boolean =>
  /^(crawl|url|network|owners|admin|data|scope)/.test(name) && name !== 'urls';
/** Few tools read pictures that are much taller. */
const tallest = 8_000;

const screens: { name: string; path: string; ready: (page: Visitor['page']) => Promise<void> }[] = [
  {
    name: 'home',
    path: '/',
    ready: async (page) => await page.locator('.crawl-card .stack rect').nth(1).waitFor(),
  },
  {
    name: 'preview',
    path: '/',
    async ready(page) {
      await page.getByRole('textbox', { name: 'Address of a site' }).fill('example.org');
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.locator('.facts').getByText('No rule of this network').waitFor();
    },
  },
  {
    name: 'crawl',
    path: '/crawls/museum.example',
    ready: async (page) => await page.locator('.plot canvas').nth(2).waitFor(),
  },
  {
    name: 'hosts',
    path: '/crawls/all-sites/hosts',
    // The walk may take so long that the smaller sites are through.
    ready: async (page) => await page.locator('table.hosts tbody tr').first().waitFor(),
  },
  {
    name: 'network',
    path: '/network',
    async ready(page) {
      await page.locator('.uses .share').first().waitFor();
    },
  },
  {
    name: 'missing',
    path: '/crawls/none',
    ready: async (page) => await page.getByText('There is no crawl').waitFor(),
  },
];

const allScreens = [
  ...loginScreens,
  ...screens,
  ...hostMapScreens,
  ...urlScreens,
  ...dataScreens,
  ...statsScreens,
  ...graphScreens,
  ...jobScreens,
  ...ownerScreens,
  ...adminScreens,
  ...scopeScreens,
  ...timesScreens,
  ...stopScreens,
];
/** In each size and scheme. */
export const screensLookedAt = allScreens.length;

/** A coordinator that is gone is seen as such, and its figures come on when it is back. */
async function loseConnection({ page }: Visitor, world: World): Promise<string[]> {
  await page.goto(`${world.url}/crawls/museum.example`);
  await page.getByText('Live', { exact: true }).waitFor();
  const restart = await world.interrupt();
  const stale = await expectWithin(page.getByText(/^Stale for/).waitFor(), 'a lost connection is not marked');
  await restart();
  const live = await expectWithin(page.getByText('Live', { exact: true }).waitFor(), 'it does not come back');
  const before = await page.locator('.legend dd').first().innerText();
  const fetched = page.locator('.legend dd').first();
  const moving = await expectWithin(
    fetched.and(page.getByText(/./).filter({ hasNotText: new RegExp(`^${before}$`) })).waitFor(),
    'the figures do not move after the connection came back',
  );
  return [...stale, ...live, ...moving];
}

/** Everywhere but in the storage of the tab itself. */
async function findToken({ page, context }: Visitor, token: string): Promise<string[]> {
  const stores: [string, string][] = [
    ['the address', page.url()],
    ['cookies', JSON.stringify(await context.cookies())],
    ['local storage', (await page.evaluate('JSON.stringify(localStorage)')) as string],
    ['the document', await page.content()],
  ];
  return stores.filter(([, text]) => text.includes(token)).map(([name]) => name);
}

if (import.meta.main) {
  const walked = await walk(JSON.parse(process.argv[2] ?? '{}') as WalkOptions);
  process.stdout.write(JSON.stringify(walked), () => process.exit(0));
}
