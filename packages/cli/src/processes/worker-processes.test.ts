import { duplexPair } from 'node:stream';
import {
  type CoordinatorLink,
  type CrawlId,
  type HostKey,
  type HostLease,
  type LeaseId,
  type LeaseReport,
  type Pause,
  systemClock,
  type Url,
  type WorkerId,
  type WorkerLook,
} from '@webfarer/protocol';
import {
  type CoordinatorFrame,
  type LinkCrawl,
  linkVersion,
  type Orders,
  sendFailure,
  type WorkerFrame,
} from '@webfarer/protocol/link';
import { resolveJob } from '@webfarer/protocol/job';
import { frameStream } from '@webfarer/protocol/node';
import { createMetrics } from '@webfarer/protocol/metrics';
import { createCookieJar, type OpenWorker } from '@webfarer/worker';
import { expect, test } from 'vitest';
import type { WorkerProcess } from './fork-worker.ts';
import type { ProcessNews } from './forwarded-metrics.ts';
import type { ProcessSetup } from './process-setup.ts';
import { MAX_RESTARTS, openWorkerProcesses, type WorkerProcessesOptions } from './worker-processes.ts';

const crawl = 'c' as CrawlId;
const host = 'a.test' as HostKey;
const job = resolveJob({ name: 'few', seeds: ['http://a.test/'] });
const crawls = [{ id: crawl, job, state: 'running' }] as unknown as LinkCrawl[];

/** A process that does what the test says: it speaks frames, and fetches nothing. */
interface FakeProcess {
  setup: ProcessSetup;
  told: string[];
  answers: unknown[];
  say(frame: WorkerFrame): void;
  look(files: number, changes?: Partial<WorkerLook>): void;
  /** It has counted this. */
  news(news: ProcessNews): void;
  die(how: string): void;
}

interface World {
  processes: FakeProcess[];
  released: WorkerId[];
  lost: string[];
  pauses: (Pause | undefined)[];
  reports: LeaseReport[];
  orders: Orders;
  options: WorkerProcessesOptions;
}

interface Behaviour {
  /** What it says when it is welcome; by default that it has opened its crawls. */
  welcomed?: (fake: FakeProcess) => void;
  /** What it does when it is told to end; by default that. */
  drained?: (fake: FakeProcess) => void;
}

function fakeProcess(setup: ProcessSetup, how: Behaviour): [FakeProcess, WorkerProcess] {
  const [ours, stream] = duplexPair();
  const ended = Promise.withResolvers<string>();
  let heard: (news: ProcessNews) => void = () => undefined;
  const frames = frameStream(
    ours,
    { maxBytes: 1e6 },
    {
      frame: (text) => take(JSON.parse(text) as CoordinatorFrame),
      closed: () => ended.resolve('exit 0'),
    },
  );
  // A process ends when its stream does, whichever end closed it.
  stream.once('close', () => ended.resolve('exit 0'));
  const fake: FakeProcess = {
    setup,
    told: [],
    answers: [],
    say: (frame) => frames.send(JSON.stringify(frame), () => undefined),
    look(files, changes = {}) {
      const written = [{ crawl, files, bytes: files * 10, open: true }];
      fake.say({ type: 'look', look: { inFlight: 2, waiting: [], written, ...changes } });
    },
    news: (news) => heard(news),
    die(reason) {
      ended.resolve(reason);
      ours.destroy();
      stream.destroy();
    },
  };
  function take(frame: CoordinatorFrame): void {
    if (frame.type === 'welcome') return how.welcomed ? how.welcomed(fake) : fake.look(1);
    if (frame.type === 'answer') return void fake.answers.push(frame.value);
    fake.told.push(frame.type === 'drain' && frame.now ? 'drop' : frame.type);
    if (frame.type === 'crawls' && frame.crawls.every(({ state }) => state === 'finished'))
      fake.look(1, { written: [{ crawl, files: 1, bytes: 10, open: false }] });
    if (frame.type !== 'drain') return;
    if (how.drained) return how.drained(fake);
    fake.look(2, { inFlight: 0 });
    fake.say({ type: 'bye', reason: 'the worker ends' });
  }
  const { id: worker, connections, version } = setup;
  fake.say({
    type: 'hello',
    v: linkVersion,
    worker,
    session: String(Math.random()),
    version,
    connections,
    holds: [],
    holdsAll: true,
  });
  const onNews = (listener: typeof heard) => void (heard = listener);
  return [fake, { stream, ended: ended.promise, onNews, kill: () => fake.die('SIGKILL') }];
}

function world(changes: Partial<WorkerProcessesOptions> = {}, how: Behaviour = {}): World {
  const it = { processes: [], released: [], lost: [], pauses: [], reports: [] } as unknown as World;
  const link: CoordinatorLink = {
    lease: async () => ({ leases: [leaseOf(host)], nextDueMs: null }),
    leaseHost: async () => ({ granted: false, retryAfterMs: 1_000 }),
    robots: async () => undefined,
    previous: async () => undefined,
    renew: async (leases) => leases.map(() => ({ ok: true, ttlMs: 1_000 })),
    async report(sent) {
      it.reports.push(...sent);
      return sent.map(() => ({ ok: true, accepted: 0, known: 0 }));
    },
  };
  it.options = {
    events: { publish: () => 0 },
    count: 2,
    setup: {
      member: undefined,
      folder: '/nowhere',
      baseFolder: '/',
      connections: 4,
      version: '0',
      isTraced: false,
    },
    metrics: undefined,
    connect({ orders }) {
      it.orders = orders;
      orders.crawls(crawls);
      return { link, tellLook: () => undefined, leave: () => undefined };
    },
    clock: systemClock(),
    cookies: undefined,
    archive: { files: 5, bytes: 100 },
    hostsQueued: () => Promise.resolve(1),
    releaseLeases: async (worker) => void it.released.push(worker),
    lost: (text) => void it.lost.push(text),
    pauseChanged: (pause) => void it.pauses.push(pause),
    startProcess(setup) {
      const [fake, child] = fakeProcess(setup, how);
      it.processes.push(fake);
      return child;
    },
    ...changes,
  };
  return it;
}

let fence = 0;
function leaseOf(of: HostKey): HostLease {
  fence++;
  return {
    id: `${fence}` as LeaseId,
    part: 0,
    crawl,
    host: of,
    fence,
    ttlMs: 60_000,
    endedAgoMs: null,
    entries: [],
    robots: [],
  };
}

async function started(w: World): Promise<OpenWorker> {
  const worker = openWorkerProcesses(w.options);
  await worker.start();
  return worker;
}

test('all processes are started, told and stopped, and their figures are summed', async () => {
  const w = world();
  const worker = await started(w);
  expect(w.processes.map(({ setup }) => [setup.process, setup.id])).toEqual([
    [1, 'local-1'],
    [2, 'local-2'],
  ]);
  w.orders.release(undefined);
  // Of the 5 files that were there before, 1 is counted by each process itself.
  expect(worker.look()).toMatchObject({
    inFlight: 4,
    written: [{ crawl, files: 5, bytes: 100, open: true }],
  });
  await worker.stop();
  expect(w.processes.map(({ told }) => told)).toEqual(Array(2).fill(['release', 'drain']));
  expect(worker.look().written).toEqual([{ crawl, files: 7, bytes: 120, open: false }]);
  expect(w.lost).toEqual([]);
});

test('what the processes count is reported as that of one worker, also after one has died', async () => {
  const metrics = createMetrics({ clock: systemClock() });
  const w = world({ metrics });
  const worker = await started(w);
  expect(w.processes.map(({ setup }) => setup.isMeasured)).toEqual([true, true]);
  const labels = { crawl: 'few', outcome: 'done', reason: 'ok' };
  const news = (pages: number): ProcessNews => ({
    forgotten: [],
    counted: [['webfarer_worker_pages_total', labels, pages]],
    observed: [['webfarer_worker_fetch_seconds', { result: 'ok' }, [0.02, 0.2]]],
    cpuSeconds: pages,
    memoryBytes: 1_000 * pages,
  });
  for (const [n, one] of w.processes.entries()) one.news(news(n + 1));
  const text = await metrics.scrape();
  expect(text).toContain('webfarer_worker_pages_total{crawl="few",outcome="done",reason="ok"} 3\n');
  expect(text).toContain('webfarer_worker_fetch_seconds_count{result="ok"} 4\n');
  expect(text).toContain('webfarer_worker_requests 4\n');
  expect(text).toContain('webfarer_worker_hosts_most 8\n');
  expect(text).toContain('webfarer_worker_process_memory_bytes{process="2"} 2000\n');
  w.processes[1]?.die('SIGKILL');
  await expect.poll(() => w.processes).toHaveLength(3);
  const later = await metrics.scrape();
  expect(later).toContain('webfarer_worker_pages_total{crawl="few",outcome="done",reason="ok"} 3\n');
  expect(later).toContain('webfarer_worker_process_memory_bytes{process="1"} 1000\n');
  expect(later).not.toContain('webfarer_worker_process_memory_bytes{process="2"}');
  await worker.stop();
  expect(await metrics.scrape()).not.toContain('webfarer_worker_requests');
});

test('the leases of a process that dies are released at once, and another takes its place', async () => {
  const w = world();
  const worker = await started(w);
  w.processes[0]?.die('SIGKILL');
  await expect.poll(() => w.processes).toHaveLength(3);
  expect(w.released).toEqual(['local-1']);
  expect(w.lost).toEqual([
    'Worker process 1 ended unexpectedly (SIGKILL); its URLs are back in the queue. It is restarted (1 of 5).',
  ]);
  expect(w.processes[2]?.setup).toMatchObject({ process: 1, id: 'local-1' });
  await expect.poll(() => worker.look().inFlight).toBe(4);
  // Its predecessor had one file, which the successor counts again.
  expect(worker.look().written).toMatchObject([{ files: 5 }]);
  await worker.stop();
});

test('one that dies while the others are still being made ready is replaced as well', async () => {
  const unready: FakeProcess[] = [];
  const w = world(
    {},
    { welcomed: (fake) => void (fake.setup.process === 2 ? unready.push(fake) : fake.look(1)) },
  );
  const worker = openWorkerProcesses(w.options);
  const starting = worker.start();
  await expect.poll(() => unready).toHaveLength(1);
  await expect.poll(() => worker.look().inFlight).toBe(2);
  w.processes[0]?.die('SIGKILL');
  await expect.poll(() => w.processes).toHaveLength(3);
  expect(w.lost).toEqual([expect.stringContaining('Worker process 1 ended unexpectedly (SIGKILL)')]);
  unready[0]?.look(1);
  await starting;
  await expect.poll(() => worker.look().inFlight).toBe(4);
  await worker.stop();
});

test('one that dies at work before it has said how it is counts as one that was ready', async () => {
  const w = world({}, { welcomed: (fake) => fake.say({ type: 'lease', id: 1, hosts: 1, urlsPerHost: 1 }) });
  const worker = openWorkerProcesses(w.options);
  const starting = worker.start();
  await expect.poll(() => w.processes[0]?.answers).toHaveLength(1);
  w.processes[0]?.die('SIGKILL');
  await starting;
  await expect.poll(() => w.processes).toHaveLength(3);
  expect(w.lost).toHaveLength(1);
  await worker.stop();
});

test('one that dies before it is ready is replaced, and the start waits for no more than the others', async () => {
  let deaths = 0;
  const w = world({}, { welcomed: (fake) => (deaths++ === 0 ? fake.die('SIGKILL') : fake.look(1)) });
  const worker = openWorkerProcesses(w.options);
  await worker.start();
  await expect.poll(() => w.processes).toHaveLength(3);
  expect(w.lost).toHaveLength(1);
  await expect.poll(() => worker.look().inFlight).toBe(4);
  await worker.stop();
});

test('one that ends again and again is left out, and without any the worker says so', async () => {
  const w = world();
  const worker = await started(w);
  const last = (process: number) => w.processes.findLast(({ setup }) => setup.process === process);
  for (const process of [1, 2]) {
    for (let i = 0; i <= MAX_RESTARTS; i++) {
      const before = w.released.length;
      const one = last(process);
      await expect.poll(() => worker.look().inFlight).toBe(process === 1 ? 4 : 2);
      one?.die('exit 134');
      await expect.poll(() => w.released.length).toBe(before + 1);
      if (i < MAX_RESTARTS) await expect.poll(() => last(process)).not.toBe(one);
    }
    if (process === 1)
      await expect
        .poll(() => w.lost.at(-1))
        .toContain('It has ended 6 times and is not restarted; 1 of 2 continue.');
  }
  await expect(worker.ended).rejects.toMatchObject({
    code: 'internal',
    message: expect.stringContaining('exit 134') as string,
  });
  await worker.stop();
});

test('a crawl that a process cannot open is told with its own words, and no process is left', async () => {
  const failure = sendFailure(new Error('cannot load the scraper'));
  const w = world({}, { welcomed: (fake) => fake.say({ type: 'bye', reason: 'x', failure }) });
  const worker = openWorkerProcesses(w.options);
  await expect(worker.start()).rejects.toThrow('cannot load the scraper');
  await worker.stop({ now: true });
  expect(w.processes).toHaveLength(2);
  expect(w.lost).toEqual([]);
});

test('cookies that one process is set go into the jar, and with the next lease of the host to the other', async () => {
  const jar = createCookieJar();
  let saves = 0;
  const save = async () => void saves++;
  const w = world({ cookies: { jar, save } });
  const worker = await started(w);
  const [one, two] = w.processes;
  const cookies = [{ url: 'http://a.test/' as Url, lines: ['seen=1'] }];
  const news = { endedAgoMs: 0, gapMs: 0, why: 'gap', health: 'ok' } as const;
  const report = { ...leaseOf(host), settled: [], news, close: true, cookies };
  one?.say({ type: 'report', id: 1, reports: [report], edges: '' });
  await expect.poll(() => one?.answers).toHaveLength(1);
  expect(jar.header('http://a.test/')).toBe('seen=1');
  for (const fake of [one, two]) fake?.say({ type: 'lease', id: 2, hosts: 1, urlsPerHost: 1 });
  await expect.poll(() => two?.answers).toHaveLength(1);
  expect(two?.answers[0]).toMatchObject({ leases: [{ host, cookies }] });
  await expect.poll(() => one?.answers).toHaveLength(2);
  expect(one?.answers[1]).not.toHaveProperty('leases.0.cookies');
  // Whoever comes later reads what is on disk.
  const before = saves;
  two?.die('SIGKILL');
  await expect.poll(() => w.processes).toHaveLength(3);
  expect(saves).toBeGreaterThan(before);
  await worker.stop();
});

test('a fault in one process ends the worker, and a pause is told once', async () => {
  const w = world();
  const worker = await started(w);
  const pause = { cause: 'disk', text: '1 MB left' } as const;
  for (const fake of w.processes) fake.look(1, { pause });
  await expect.poll(() => w.pauses).toEqual([pause]);
  expect(worker.look().pause).toEqual(pause);
  w.processes[1]?.say({ type: 'bye', reason: 'x', failure: sendFailure(new TypeError('a defect')) });
  await expect(worker.ended).rejects.toThrow('a defect');
  await worker.stop();
  expect(w.lost).toEqual([]);
});

test('a process that drops nothing when it is told to is ended', async () => {
  let late = () => {};
  const clock = { now: () => 0, sleep: () => new Promise<void>((resolve) => (late = resolve)) };
  const w = world({ clock, count: 1 }, { drained: () => undefined });
  const worker = await started(w);
  const stopped = worker.stop({ now: true });
  await expect.poll(() => w.processes[0]?.told).toEqual(['drop', 'drain']);
  late();
  await stopped;
  expect(w.lost).toEqual([]);
});

/** A world whose crawl can be closed as the coordinator closes it. */
function closableWorld(): World & { close: (id: CrawlId) => Promise<void> } {
  const close: (id: CrawlId) => Promise<void> = async () => undefined;
  const it = Object.assign(world(), { close });
  it.options.connect = ({ orders, closeCrawl }) => {
    orders.crawls(crawls);
    it.close = closeCrawl;
    return { link: {} as CoordinatorLink, tellLook: () => undefined, leave: () => undefined };
  };
  return it;
}

test('a crawl is closed when every process has closed it', async () => {
  const w = closableWorld();
  const worker = await started(w);
  expect(worker.look().written).toMatchObject([{ open: true }]);
  await w.close(crawl);
  expect(w.processes.map(({ told }) => told)).toEqual([['crawls'], ['crawls']]);
  expect(worker.look().written).toMatchObject([{ open: false }]);
  await worker.stop();
});

test('a crawl that is closed just after a process died waits for the others without spinning', async () => {
  const w = closableWorld();
  const worker = await started(w);
  const closing = Promise.withResolvers<void>();
  w.options.lost = () => queueMicrotask(() => void w.close(crawl).then(closing.resolve));
  w.processes[0]?.die('SIGKILL');
  await closing.promise;
  expect(w.processes[1]?.told).toEqual(['crawls']);
  await worker.stop();
});
