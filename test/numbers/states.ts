import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@webfarer/protocol';
import { type ApiClient, createClient } from '@webfarer/protocol/api';
import { createMetrics, type Metrics } from '@webfarer/protocol/metrics';
import { type ShownState, stateTable } from '@webfarer/protocol/numbers';
import { fakeWorld } from '../../packages/cli/src/fake-crawl.fixture.ts';
import { localCrawls } from '../../packages/cli/src/local/local-crawl.ts';
import {
  type CoordinatorService,
  openCoordinatorService,
} from '../../packages/cli/src/network/coordinator-service.ts';
import { runCli } from '../../packages/cli/src/program.ts';
import {
  shownByApi,
  shownByMetrics,
  shownByReport,
  shownByStatus,
  type Shown,
  shownInTerminal,
} from './surfaces.ts';
import { type Kind, kinds, openWeb, truthOf, type Web } from './web.ts';

/** What this program is told, as JSON in its first argument. */
export interface StatesOptions {
  folder: string;
}

export interface StatesCompared {
  /** Numbers that were compared with the log, and looks at a crawl on a surface. */
  numbers: number;
  looks: number;
  states: string[];
  wrong: string[];
}

const patienceMs = 600_000;
/** Which state each kind of crawl comes to, as a person is told. */
const shownStates: Record<Exclude<Kind, 'local'>, ShownState> = {
  whole: 'finished',
  stuck: 'running',
  paused: 'paused',
  stopped: 'stopped',
  limited: 'limited',
  busy: 'held',
  closed: 'blocked',
};
const standing = Object.keys(shownStates) as Exclude<Kind, 'local'>[];

/** Brings a crawl into each state and compares what every surface shows with what the log of the sites says. */
async function compareAll({ folder }: StatesOptions): Promise<StatesCompared> {
  const web = await openWeb();
  const book = createBook(web);
  const data = join(folder, 'data');
  mkdirSync(data);
  const metrics = createMetrics({ clock: systemClock() });
  let service = await openService({ data, port: 0, metrics });
  const { url, listen } = service;
  const token = readFileSync(join(data, 'operator.token'), 'utf8').trim();
  const api = createClient({ url, token, fetch });
  try {
    await reach(api, web);
    const at = { api, url, token, metrics, folder };
    await lookEverywhere(book, at, 'first');
    await lookInTerminal(book, folder);
    web.release(kinds.stuck);
    await until('what waited is over', async () => {
      const { state } = await api.getCrawl({ params: { crawl: kinds.stuck } });
      return state === 'finished';
    });
    await service.stop({ now: true });
    service = await openService({ data, port: listen.port, metrics });
    await lookAgain(book, at);
    return book.sum();
  } catch (error) {
    // To stop takes a while on a busy machine: what went wrong is told before.
    console.error(error);
    throw error;
  } finally {
    for (const host of Object.values(kinds)) web.release(host);
    await service.stop({ now: true });
    await web.stop();
  }
}

interface ServiceOptions {
  data: string;
  port: number;
  metrics: Metrics;
}

async function openService({ data, port, metrics }: ServiceOptions): Promise<CoordinatorService> {
  const opened = await openCoordinatorService({
    folder: data,
    listen: { host: '127.0.0.1', port },
    advertise: undefined,
    withWorker: true,
    baseFolder: data,
    clock: systemClock(),
    standing: true,
    metrics,
  });
  await opened.stand({ store: undefined, ledger: undefined });
  return opened;
}

const jobOf = (host: string) => ({
  name: host,
  seeds: [`http://${host}/`],
  politeness: { gap: '40ms', slowFactor: 0 },
  robots: { sitemaps: false },
  // One try, so that an error is an outcome; an answer that waits is waited for.
  fetch: { timeout: '10m', retries: { count: host === kinds.busy ? 5 : 0 } },
  limits: { minFree: '1MB', ...(host === kinds.limited ? { pages: 4 } : {}) },
});

/** Starts all of them and waits until each stands still in its state. */
async function reach(api: ApiClient, web: Web): Promise<void> {
  for (const kind of standing) await api.createCrawl({ body: { job: jobOf(kinds[kind]) } });
  const isWaiting = (host: string) =>
    web.log.some((entry) => entry.host === host && entry.path === '/wait' && entry.endedAtMs === 0);
  await until('all of them stand still', async () => {
    const { state: whole } = await api.getCrawl({ params: { crawl: kinds.whole } });
    const { state: limited } = await api.getCrawl({ params: { crawl: kinds.limited } });
    const { progress } = await api.getCrawl({ params: { crawl: kinds.busy } });
    const { state: closed } = await api.getCrawl({ params: { crawl: kinds.closed } });
    return (
      whole === 'finished' &&
      limited === 'limited' &&
      closed === 'finished' &&
      progress?.stall?.cause === 'retry-after' &&
      isWaiting(kinds.stuck) &&
      isWaiting(kinds.paused) &&
      isWaiting(kinds.stopped)
    );
  });
  // Paused while an answer is awaited: that one still comes, and nothing after it.
  for (const crawl of [kinds.paused, kinds.stopped]) {
    await api.pauseCrawl({ params: { crawl } });
    web.release(crawl);
    await until(`nothing of ${crawl} is under way`, async () => {
      const { progress } = await api.getCrawl({ params: { crawl } });
      return progress?.inFlight === 0 && progress.balance.leased === 0;
    });
  }
  await api.stopCrawl({ params: { crawl: kinds.stopped } });
  await until('it is stopped', async () => {
    const { state } = await api.getCrawl({ params: { crawl: kinds.stopped } });
    return state === 'stopped';
  });
}

interface Surfaces {
  api: ApiClient;
  url: string;
  token: string;
  metrics: Metrics;
  folder: string;
}

/** Each crawl on each surface. */
async function lookEverywhere(book: Book, at: Surfaces, when: string): Promise<void> {
  for (const kind of standing) {
    const crawl = kinds[kind];
    const look = (surface: string, read: () => Promise<Shown>) =>
      book.compare({ kind, surface: `${surface}, ${when}`, read });
    await look('API', async () => shownByApi(await at.api.getCrawl({ params: { crawl } })));
    await look('status', async () => {
      const shown = shownByStatus(await command(at, ['status', '--at', at.url]), crawl);
      const right = stateTable[shownStates[kind]].words.en;
      if (shown.state !== right) book.note(`${kind} is called ${shown.state} by status, not ${right}`);
      return shown;
    });
    if (isOpen(kind)) await look('metrics', async () => shownByMetrics(await at.metrics.scrape(), crawl));
  }
}

/** A crawl in a terminal of this machine, then its folder: `status`, `report` and report.html. */
async function lookInTerminal(book: Book, folder: string): Promise<void> {
  const home = join(folder, 'local');
  mkdirSync(home);
  const argv = ['crawl', kinds.local, '--gap', '40ms', '--retries', '0', '--no-sitemaps'];
  const world = fakeWorld(home, {}, argv);
  let frame = '';
  const terminal = {
    ...world.context.terminal,
    live: true,
    out(text: string) {
      if (text.includes(' known')) frame = text;
      world.context.terminal.out(text);
    },
  };
  const context = { ...world.context, terminal, local: localCrawls, clock: systemClock() };
  const exit = runCli(argv, context);
  await until('the crawl in the terminal waits', async () =>
    book.web.log.some(({ host, path }) => host === kinds.local && path === '/wait'),
  );
  await book.compare({ kind: 'local', surface: 'live view', read: async () => shownInTerminal(frame) });
  const own = async (...words: string[]) => {
    const other = fakeWorld(home, {}, words);
    await runCli(words, { ...other.context, local: localCrawls, clock: systemClock() });
    return other.out();
  };
  await book.compare({
    kind: 'local',
    surface: 'status of a folder',
    read: async () => shownByStatus(await own('status'), kinds.local),
    // A folder does not know which requests are under way.
    without: ['inFlight'],
  });
  book.web.release(kinds.local);
  await exit;
  const summary = world.out().slice(world.out().lastIndexOf('finished in'));
  await book.compare({
    kind: 'local',
    surface: 'summary',
    read: async () => ({
      ...shownByStatus(`${kinds.local}  \n${summary.split('\n')[1] ?? ''}`, kinds.local),
      errorAnswers: numberBefore(summary, '404'),
      brokenLinks: numberBefore(summary, 'broken'),
    }),
  });
  const listed = await own('report', '--broken', '--json');
  await book.compare({
    kind: 'local',
    surface: 'report --broken',
    read: async () => ({ brokenLinks: totalOf(listed) }),
  });
  const file = readFileSync(join(home, `${kinds.local}.crawl`, 'report.html'), 'utf8');
  await book.compare({ kind: 'local', surface: 'report.html', read: async () => shownByReport(file) });
}

/** `404 2` in the groups of a summary, `2 broken links` below. */
const numberBefore = (text: string, what: string): number =>
  Number((what === '404' ? /404 (\d+)/ : /(\d+) broken link/).exec(text)?.[1] ?? -1);
const totalOf = (lines: string): number => {
  const last = JSON.parse(lines.trim().split('\n').at(-1) ?? '{}') as { total?: number };
  return last.total ?? -1;
};

/** After a restart what was settled still is, and what is open waits. */
async function lookAgain(book: Book, at: Surfaces): Promise<void> {
  for (const kind of standing.filter((each) => each !== 'busy')) {
    const crawl = kinds[kind];
    await book.compare({
      kind,
      surface: 'API, after a restart',
      read: async () => shownByApi(await at.api.getCrawl({ params: { crawl } })),
    });
  }
}

const isOpen = (kind: Kind): boolean => kind === 'stuck' || kind === 'paused' || kind === 'busy';

async function command({ folder, token }: Surfaces, words: string[]): Promise<string> {
  const world = fakeWorld(folder, {}, words);
  await runCli(words, { ...world.context, token, local: localCrawls, clock: systemClock() });
  return world.out();
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + patienceMs; performance.now() < end; await sleep(100))
    if (await isSo()) return;
  throw new Error(`it is not so that ${what}`);
}

interface Look {
  kind: Kind;
  surface: string;
  read: () => Promise<Shown>;
  /** Numbers that this surface does not have. */
  without?: (keyof Shown)[];
}

interface Book {
  web: Web;
  compare(look: Look): Promise<void>;
  /** Something is wrong. */
  note(what: string): void;
  sum(): StatesCompared;
}

/** A number may be a second old. */
const settleMs = 20_000;

function createBook(web: Web): Book {
  const wrong: string[] = [];
  const states = new Set<string>();
  let [numbers, looks] = [0, 0];

  function note(what: string): void {
    wrong.push(what);
    console.error(what);
  }

  /** How what is shown differs from the log. */
  function differences(kind: Kind, shown: Shown, without: readonly (keyof Shown)[]): string[] {
    const truth = truthOf(web.log, kinds[kind]);
    const { queued, leased, state: _, ...same } = shown;
    const found = Object.entries(same)
      .filter(([name]) => !without.includes(name as keyof Shown))
      .filter(([name, value]) => truth[name as keyof typeof truth] !== value)
      .map(([name, value]) => `${name} is ${value}, not ${truth[name as keyof typeof truth]}`);
    const open = (queued ?? 0) + (leased ?? 0);
    if (queued !== undefined && open !== truth.open)
      found.push(`queued and leased are ${queued} and ${leased}, not ${truth.open} together`);
    // Nothing is leased where no worker is at work; one that is asks for what it holds.
    if (leased !== undefined && !isOpen(kind) && kind !== 'local' && leased !== 0)
      found.push(`leased is ${leased} of a crawl that does not run`);
    if (leased !== undefined && leased < truth.inFlight)
      found.push(`leased is ${leased}, and ${truth.inFlight} are requested`);
    return found;
  }

  return {
    web,
    note,
    async compare({ kind, surface, read, without = [] }) {
      looks++;
      let found: string[] = ['nothing was shown'];
      let shown: Shown = {};
      for (const end = performance.now() + settleMs; performance.now() < end; await sleep(250)) {
        shown = await read();
        found = Object.keys(shown).length === 0 ? ['nothing was shown'] : differences(kind, shown, without);
        if (found.length === 0) break;
      }
      numbers += Object.keys(shown).length;
      states.add(kind);
      for (const each of found) note(`${kind}, ${surface}: ${each}`);
    },
    sum: () => ({ numbers, looks, states: [...states], wrong }),
  };
}

if (import.meta.main) {
  const compared = await compareAll(JSON.parse(process.argv[2] ?? '{}') as StatesOptions);
  process.stdout.write(JSON.stringify(compared), () => process.exit(0));
}
