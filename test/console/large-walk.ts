import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { cpuMs } from '../../bench/process-cpu.ts';
import { median, yardstick } from '../install/first-page.ts';
import { openBrowser } from '../outside/browser.ts';
import { expectWithin } from './expect-within.ts';
import { consoleScreens } from './console-screens.ts';
import type { ConsoleScreen } from './screen.ts';
import { coordinatorOf, staleMs, watchStale } from './lost-coordinator.ts';
import { largeCrawl, type LargeSize, type LargeWorld, openLargeWorld } from './large-world.ts';
import { logIn, openVisitor, tellWhere, type Visitor } from './visitor.ts';

/** What this program is told, as JSON in its first argument. */
export interface LargeOptions extends LargeSize {
  /** Where the folders of all processes go. */
  under: string;
  /** Times that each screen is opened. */
  rounds: number;
  /** How long the memory of the browser is watched. */
  liveMs: number;
  /** For each screen, how long the coordinators' CPU time is counted. */
  costMs: number;
  pictures?: string | undefined;
}

export interface ScreenFigure {
  /** From asking for the address until it shows what it is about, and from a click until what follows from it. */
  contentMs: number;
  actMs: number;
  /** The longest time for which the page could not react. */
  longestTaskMs: number;
  /** What came over the stream until then, in bytes. */
  streamBytes: number;
}

export interface Large {
  screens: Record<string, ScreenFigure>;
  /** What half a second of computing takes meanwhile: on a free machine 550 ms. */
  yardstickMs: number;
  /** `awaited`: places for cards that were still on their way two frames later. */
  scroll: { steps: number; holes: number; awaited: number; reachedEnd: boolean };
  /** All crawls that are open are stopped: how many, from the click until it is said, and how many still are. */
  stopAll: { stopped: number; stoppedMs: number; left: number };
  memory: { minutes: number; heapMiB: number; rendererMiB: number; rendererOwnMiB: number };
  /** Of one core, what one viewer costs all coordinators, by screen. */
  costOfCore: Record<string, number>;
  killed: { staleMs: number; missed: number };
  prepared: Record<string, number>;
  wrong: string[];
}

/** Run in a network of its own: three coordinators behind one address, one of which is killed, as one person sees it at the size that the console is made for. */
async function walkLarge(options: LargeOptions): Promise<Large> {
  const world = await openLargeWorld(options.under, options);
  const browser = await openBrowser();
  let at: Visitor | undefined;
  try {
    const visitor = await openVisitor(browser, {
      url: world.url,
      // One of the coordinators is killed on the way, and no crawl has the name that is typed for a new one.
      expected: (text, about) =>
        /WebSocket|502|503|504|ERR_/.test(text) ||
        (text.includes('404') && about.endsWith('/v1/crawls/another')),
    });
    at = visitor;
    const { page } = visitor;
    await page.addInitScript({ content: watchTasks });
    const streamed = countStreamed(page);
    await logIn(visitor, world.url, world.token);
    const yardsticks = [measureYardstick()];
    const screens: Record<string, ScreenFigure> = {};
    for (const screen of screensOf(options)) {
      const taken: ScreenFigure[] = [];
      for (let round = 0; round < options.rounds; round++) {
        const [from, before] = [performance.now(), streamed()];
        await page.goto(world.url + screen.path);
        await screen.shows(page);
        const shownAt = performance.now();
        await screen.act(page);
        taken.push({
          contentMs: shownAt - from,
          actMs: performance.now() - shownAt,
          longestTaskMs: (await page.evaluate('globalThis.__longestTaskMs ?? 0')) as number,
          streamBytes: streamed() - before,
        });
      }
      const middle = (of: keyof ScreenFigure) => Math.round(median(taken.map((one) => one[of])));
      screens[screen.name] = {
        contentMs: middle('contentMs'),
        actMs: middle('actMs'),
        longestTaskMs: middle('longestTaskMs'),
        streamBytes: middle('streamBytes'),
      };
      console.error(`  ${screen.name} ${JSON.stringify(screens[screen.name])}`);
      if (options.pictures !== undefined)
        await page.screenshot({ path: join(options.pictures, `large-${screen.name}.png`) });
      yardsticks.push(measureYardstick());
    }
    const scroll = await scrollThrough(visitor, world);
    console.error(`  scroll ${JSON.stringify(scroll)}`);
    const costOfCore = await measureCost(visitor, world, options);
    console.error(`  cost ${JSON.stringify(costOfCore)}`);
    const { wrong, ...killed } = await killOne(visitor, world);
    console.error(`  killed ${JSON.stringify({ ...killed, wrong })}`);
    const memory = await measureMemory(browser, visitor, { url: world.url, liveMs: options.liveMs });
    console.error(`  memory ${JSON.stringify(memory)}`);
    // Each is told of every change with all crawls that are open, and a thousand of them read it in this process.
    await world.dismiss();
    const stopAll = await stopEvery(visitor, world);
    console.error(`  stop all ${JSON.stringify(stopAll)}`);
    wrong.push(...visitor.noticed.errors, ...visitor.noticed.foreign);
    return {
      screens,
      yardstickMs: Math.round(median(yardsticks)),
      scroll,
      stopAll,
      memory,
      costOfCore,
      killed,
      prepared: world.prepared,
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

/** Beside the large crawl and those that are over there is one that waits for an account. */
const screensOf = ({ crawls, known, workers }: LargeSize): ConsoleScreen[] =>
  consoleScreens({
    crawl: largeCrawl,
    compared: largeCrawl,
    url: 'http://h0.site0.example/page-0',
    crawls: crawls + 2,
    known,
    workers,
    workerName: 'light-1',
  });

const watchTasks = `new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) globalThis.__longestTaskMs = Math.max(globalThis.__longestTaskMs ?? 0, duration);
}).observe({ type: 'longtask', buffered: true })`;

/** Bytes of all frames that came over WebSockets so far, before the transport compresses them. */
function countStreamed(page: Page): () => number {
  let bytes = 0;
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      bytes += Buffer.byteLength(payload);
    }),
  );
  return () => bytes;
}

function measureYardstick(): number {
  const from = performance.now();
  spawnSync('sh', ['-c', yardstick]);
  return performance.now() - from;
}

/** Of the part of the list that is in sight, the heights at which no card is, two frames after it came into sight. */
const findHoles = `new Promise((found) => requestAnimationFrame(() => requestAnimationFrame(() => {
  const list = document.querySelector('.grid-room').getBoundingClientRect();
  const cards = [...document.querySelectorAll('.crawl-card')].map((card) => card.getBoundingClientRect());
  let holes = 0;
  for (let y = Math.max(list.top, 80) + 24; y < Math.min(list.bottom, innerHeight) - 24; y += 24)
    if (!cards.some(({ top, bottom }) => top - 20 <= y && y <= bottom + 20)) holes++;
  found([holes, document.querySelectorAll('.waiting-card').length]);
})))`;

async function scrollThrough({ page }: Visitor, { url }: LargeWorld): Promise<Large['scroll']> {
  await page.goto(`${url}/`);
  await page.locator('.crawl-card .state').nth(5).waitFor();
  await page.mouse.move(700, 600);
  let [holes, awaited] = [0, 0];
  const look = async () => {
    const [missing, waiting] = (await page.evaluate(findHoles)) as [number, number];
    holes += missing;
    awaited += waiting;
  };
  const wheels = [...Array.from({ length: 40 }, () => 400), ...Array.from({ length: 20 }, () => 5_000)];
  for (const by of wheels) {
    await page.mouse.wheel(0, by);
    await look();
  }
  await page.keyboard.press('End');
  const oldest = page.getByRole('link', { name: /^crawl-0*\d+$/ }).last();
  const reachedEnd =
    (await expectWithin(page.locator('.crawl-card .state').first().waitFor(), '')).length === 0 &&
    (await oldest.isVisible());
  await look();
  return { steps: wheels.length, holes, awaited, reachedEnd };
}

/** What the coordinators use while one person looks, less what they use while nobody does. */
async function measureCost(
  { page }: Visitor,
  { url, coordinators }: LargeWorld,
  { costMs }: LargeOptions,
): Promise<Record<string, number>> {
  const used = () => coordinators.reduce((sum, { pid }) => sum + (pid === undefined ? 0 : cpuMs(pid)), 0);
  async function during(ms: number): Promise<number> {
    const [cpu, from] = [used(), performance.now()];
    await page.waitForTimeout(ms);
    return (used() - cpu) / (performance.now() - from);
  }
  const found: Record<string, number> = {};
  for (const [name, path] of [
    ['home', '/'],
    ['crawl', `/crawls/${largeCrawl}`],
  ] as const) {
    await page.goto('about:blank');
    await page.waitForTimeout(1_000);
    const without = await during(costMs);
    await page.goto(url + path);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.waitForTimeout(2_000);
    found[name] = Math.round(((await during(costMs)) - without) * 1_000) / 1_000;
  }
  return found;
}

/** Kills the coordinator that the page is connected to. Crawls that are created meanwhile must be in the list afterwards. */
async function killOne({ page }: Visitor, world: LargeWorld): Promise<Large['killed'] & { wrong: string[] }> {
  await page.goto(`${world.url}/`);
  await page.locator('.crawl-card .state').nth(5).waitFor();
  const ids = await Promise.all(world.coordinators.map(async (one) => (await one.status()).coordinator.id));
  const victim = await coordinatorOf(page, ids);
  const survivor = world.apiAt((victim + 1) % world.coordinators.length);
  await watchStale(page);
  const create = (name: string) =>
    survivor.createCrawl({ body: { job: { name, seeds: ['http://h1.site0.example/'] }, tags: [] } });
  const made = ['before-it-died', 'as-it-died', 'after-it-died'];
  await Promise.all([create('before-it-died'), world.coordinators[victim]?.kill(), create('as-it-died')]);
  await create('after-it-died');
  const wrong: string[] = [];
  for (const name of made)
    wrong.push(
      ...(await expectWithin(
        page.getByRole('link', { name, exact: true }).waitFor(),
        `${name} is not in the list`,
      )),
    );
  const stale = await staleMs(page);
  if (stale === undefined) wrong.push('the mark did not say that the figures were stale');
  // What a person sees of the large crawl is what another coordinator says of it.
  await page.goto(`${world.url}/crawls/${largeCrawl}`);
  const fetched = page.locator('.legend dd').first();
  await fetched.filter({ hasText: /[1-9]/ }).waitFor();
  const balance = (await survivor.getCrawl({ params: { crawl: largeCrawl } })).progress?.balance;
  const shown = Number((await fetched.innerText()).replaceAll(',', ''));
  if (Math.abs(shown - (balance?.done ?? -1)) > 500)
    wrong.push(`the crawl shows ${shown} fetched, the API says ${balance?.done}`);
  return {
    staleMs: stale ?? -1,
    missed: wrong.length,
    wrong,
  };
}

/** More than are in sight. */
const stoppedCrawls = 25;

/** Stops every crawl from the top of the list, of which most are out of sight. Those beside the large one are paused. */
async function stopEvery({ page }: Visitor, world: LargeWorld): Promise<Large['stopAll']> {
  for (let n = 0; n < stoppedCrawls; n++) {
    const crawl = `to-stop-${n}`;
    const job = { name: crawl, seeds: [`http://h${n}.site0.example/`] };
    // Created by the coordinator before, whose answer came too late.
    const isThere = (error: { code?: string }) => {
      if (error.code !== 'conflict') throw error;
    };
    await firstAnswer(world, (api) => api.createCrawl({ body: { job, tags: [] } }).catch(isThere));
    await firstAnswer(world, (api) => api.pauseCrawl({ params: { crawl } }));
  }
  const open = async () => {
    const query = { state: ['running' as const, 'paused' as const], limit: 1_000 };
    return (await firstAnswer(world, (api) => api.listCrawls({ query }))).items.length;
  };
  const stopped = await open();
  if (stopped < stoppedCrawls) throw new Error(`${stopped} crawls are open`);
  await page.goto(`${world.url}/`);
  await page.getByRole('button', { name: 'Stop all' }).click();
  const from = performance.now();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop all' }).click();
  await page.getByText(`${stopped} crawls were stopped.`).waitFor({ timeout: 300_000 });
  return { stopped, stoppedMs: Math.round(performance.now() - from), left: await open() };
}

/** Of the coordinators that are left. */
async function firstAnswer<T>(
  world: LargeWorld,
  ask: (api: ReturnType<LargeWorld['apiAt']>) => Promise<T>,
): Promise<T> {
  for (let n = 0; ; n++)
    try {
      return await ask(world.apiAt(n));
    } catch (error) {
      if (n >= world.coordinators.length - 1) throw error;
    }
}

const mib = (bytes: number): number => Math.round(bytes / 2 ** 18) / 4;

async function measureMemory(
  browser: Browser,
  { page, context }: Visitor,
  { url, liveMs }: { url: string; liveMs: number },
): Promise<Large['memory']> {
  const from = performance.now();
  // As somebody who leaves it open, and looks now and then.
  for (let turn = 0; performance.now() - from < liveMs; turn++) {
    await page.goto(`${url}/${turn % 2 === 0 ? '' : `crawls/${largeCrawl}`}`);
    await stay(page, Math.min(liveMs / 2, liveMs - (performance.now() - from)));
  }
  const session = await context.newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  await session.send('Performance.enable');
  const { metrics } = await session.send('Performance.getMetrics');
  const heap = metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN;
  const system = await browser.newBrowserCDPSession();
  const { processInfo } = await system.send('SystemInfo.getProcessInfo');
  const renderers = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => statusOf(id));
  const most = (of: 'rss' | 'own') => Math.max(...renderers.map((one) => one[of]));
  return {
    minutes: Math.round(((performance.now() - from) / 60_000) * 10) / 10,
    heapMiB: mib(heap),
    rendererMiB: mib(most('rss')),
    rendererOwnMiB: mib(most('own')),
  };
}

async function stay(page: Page, ms: number): Promise<void> {
  if (ms > 0) await page.waitForTimeout(ms);
}

function statusOf(pid: number): { rss: number; own: number } {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) * 1_024;
  return { rss: bytes('VmRSS'), own: bytes('RssAnon') };
}

if (import.meta.main) {
  const large = await walkLarge(JSON.parse(process.argv[2] ?? '{}') as LargeOptions);
  process.stdout.write(JSON.stringify(large), () => process.exit(0));
}
