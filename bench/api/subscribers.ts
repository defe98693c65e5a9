import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StreamTopicInput } from '@webfarer/protocol/api';
import { WebSocket } from 'ws';
import { type CoordinatorProcess, startNetwork } from '../../test/network/launcher.ts';
import { until, workFolder, writeJob } from '../../test/prove/lab.ts';
import { startRedis } from '../../test/redis/servers.ts';
import { ratioOf } from '../broad/statistics.ts';
import { type RunningWeb, startWeb } from '../network/start-web.ts';
import type { PlainWeb } from '../network/web.ts';
import { cpuMs } from '../process-cpu.ts';

export interface SubscribersSize {
  subscribers: number;
  /** Times that the crawl is measured with and without them. */
  rounds: number;
  phaseMs: number;
  hosts: number;
  gapMs: number;
}

export interface SubscribersFigures {
  /** Of one core, what the subscribers cost the coordinator. */
  costOfCore: ReturnType<typeof ratioOf>;
  /** The crawl rate with subscribers, of that without. */
  rateKept: ReturnType<typeof ratioOf>;
  /** Of one core, and pages per second: in the middle of all rounds. */
  without: Phase;
  with: Phase;
  /** Of what was crawled meanwhile, the least that a subscriber of results was sent. */
  leastServed: number;
  framesPerSecond: number;
  bytesPerSecond: number;
}

interface Phase {
  ofCore: number;
  pagesPerSecond: number;
}

const crawl = 'plain';
/** What viewers look at, by the parts of a hundred. Some look at lists that seldom change. */
const mix: readonly (readonly [number, StreamTopicInput])[] = [
  [20, { topic: 'status', crawl }],
  [20, { topic: 'results', crawl, from: 'now' }],
  [15, { topic: 'hosts', crawl }],
  [15, { topic: 'resources' }],
  [10, { topic: 'events', crawl }],
  [10, { topic: 'list', list: 'crawls' }],
  [5, { topic: 'list', list: 'schedules' }],
  [5, { topic: 'list', list: 'policies' }],
];
const workers = 1;

/**
 * One crawl at a steady pace that the hosts set. In turns nobody follows it and many do, each on a socket of its own: what
 * that costs the coordinator is the difference of its CPU time, and what it costs the crawl is pages, by the count of the
 * hosts.
 */
export async function subscribers(
  size: SubscribersSize,
  store: 'sqlite' | 'redis',
): Promise<SubscribersFigures> {
  const work = workFolder(`api-${store}`);
  const { hosts, gapMs } = size;
  const plain: PlainWeb = {
    hosts,
    gapMs,
    pagesPerHost: Math.ceil((3 * size.rounds * (size.phaseMs + 10_000)) / gapMs) + 50,
    linksPerPage: 20,
    pageBytes: 5_000,
    latencyMs: 20,
  };
  const web = await startWeb(plain);
  const redis = store === 'redis' ? await startRedis({ settings: { appendfsync: 'everysec' } }) : undefined;
  const job = join(work.path, 'job.json');
  await writeJob(job, web.job);
  const where = redis ? { store: redis.url, coordinatorWords: ['--durability', 'available'] } : {};
  const network = await startNetwork({ job, under: work.path, workers, connections: hosts, ...where });
  try {
    const coordinator = network.coordinators[0] as CoordinatorProcess;
    const token = (await readFile(join(coordinator.folder, 'operator.token'), 'utf8')).trim();
    await until('three pages of every host', async () => (await look(web)).fewestPages >= 3, 120_000);
    const rounds: { off: Phase; on: Phase & Served }[] = [];
    for (let round = 0; round < size.rounds; round++) {
      const isOnFirst = round % 2 === 1;
      const before = isOnFirst ? await withSubscribers(coordinator, web, { size, token }) : undefined;
      const off = await measure(coordinator, web, size.phaseMs);
      const on = before ?? (await withSubscribers(coordinator, web, { size, token }));
      rounds.push({ off, on });
      console.error(`  ${store} ${JSON.stringify({ off, on })}`);
    }
    return figuresOf(rounds);
  } finally {
    await network.end();
    await redis?.stop();
    await web.stop();
    work.remove();
  }
}

function figuresOf(rounds: { off: Phase; on: Phase & Served }[]): SubscribersFigures {
  const middle = (values: number[]) => ratioOf(values).median ?? 0;
  const phase = (of: (round: (typeof rounds)[0]) => Phase): Phase => ({
    ofCore: middle(rounds.map((round) => of(round).ofCore)),
    pagesPerSecond: middle(rounds.map((round) => of(round).pagesPerSecond)),
  });
  return {
    costOfCore: ratioOf(rounds.map(({ off, on }) => on.ofCore - off.ofCore)),
    rateKept: ratioOf(rounds.map(({ off, on }) => on.pagesPerSecond / off.pagesPerSecond)),
    without: phase(({ off }) => off),
    with: phase(({ on }) => on),
    leastServed: Math.min(...rounds.map(({ on }) => on.leastServed)),
    framesPerSecond: middle(rounds.map(({ on }) => on.framesPerSecond)),
    bytesPerSecond: middle(rounds.map(({ on }) => on.bytesPerSecond)),
  };
}

/** A look at the web costs the coordinator nothing. */
async function look(web: RunningWeb) {
  await later(100);
  return await web.look();
}

async function measure(coordinator: CoordinatorProcess, web: RunningWeb, ms: number): Promise<Phase> {
  const before = { cpu: cpuMs(coordinator.pid ?? 0), web: await web.look(), atMs: performance.now() };
  await later(ms);
  const after = { cpu: cpuMs(coordinator.pid ?? 0), web: await web.look(), atMs: performance.now() };
  const tookMs = after.atMs - before.atMs;
  return {
    ofCore: rounded((after.cpu - before.cpu) / tookMs),
    pagesPerSecond: rounded((1_000 * (after.web.pages - before.web.pages)) / tookMs),
  };
}

interface Served {
  leastServed: number;
  framesPerSecond: number;
  bytesPerSecond: number;
}

async function withSubscribers(
  coordinator: CoordinatorProcess,
  web: RunningWeb,
  { size, token }: { size: SubscribersSize; token: string },
): Promise<Phase & Served> {
  const all = Array.from({ length: size.subscribers }, (_, n) =>
    subscriber(coordinator.url(), token, topicOf(n / size.subscribers)),
  );
  try {
    await until('every subscriber served', () => all.every(({ frames }) => frames > 0), 60_000);
    const before = { pages: (await web.look()).pages, atMs: performance.now() };
    for (const one of all) one.reset();
    const phase = await measure(coordinator, web, size.phaseMs);
    // What was fetched last is reported, read and sent within this time.
    await later(1_500);
    const seconds = (performance.now() - before.atMs) / 1_000;
    const pages = (await web.look()).pages - before.pages;
    const sum = (of: (one: Subscriber) => number) => all.reduce((total, one) => total + of(one), 0);
    const readers = all.filter(({ topic }) => topic === 'results');
    return {
      ...phase,
      leastServed: rounded(Math.min(...readers.map(({ records }) => records)) / pages),
      framesPerSecond: Math.round(sum(({ frames }) => frames) / seconds),
      bytesPerSecond: Math.round(sum(({ bytes }) => bytes) / seconds),
    };
  } finally {
    await Promise.all(all.map((one) => one.close()));
    // The coordinator is rid of them before anything else is measured.
    await later(500);
  }
}

function topicOf(share: number): StreamTopicInput {
  let rest = share * 100;
  for (const [parts, topic] of mix) if ((rest -= parts) < 0) return topic;
  return { topic: 'resources' };
}

interface Subscriber {
  readonly topic: string;
  readonly frames: number;
  readonly bytes: number;
  /** Outcomes of pages. */
  readonly records: number;
  reset(): void;
  close(): Promise<void>;
}

/** As cheap as a client can be, because it runs on the same machine: frames are counted and not parsed. */
function subscriber(url: string, token: string, on: StreamTopicInput): Subscriber {
  const headers = { authorization: `Bearer ${token}` };
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/stream`, {
    headers,
    perMessageDeflate: false,
  });
  const count = { frames: 0, bytes: 0, records: 0 };
  socket.on('open', () => socket.send(JSON.stringify({ type: 'subscribe', id: 1, on })));
  socket.on('message', (data: Buffer) => {
    if (data.includes('"type":"welcome"')) return;
    if (data.includes('"problem"')) throw new Error(data.toString());
    count.frames++;
    count.bytes += data.length;
    for (let at = data.indexOf(recordMark); at >= 0; at = data.indexOf(recordMark, at + 1)) count.records++;
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return {
    topic: on.topic,
    get frames() {
      return count.frames;
    },
    get bytes() {
      return count.bytes;
    },
    get records() {
      return count.records;
    },
    reset: () => Object.assign(count, { frames: 0, bytes: 0, records: 0 }),
    async close() {
      socket.terminate();
      await closed;
    },
  };
}

const recordMark = Buffer.from('{"kind":"record"');

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
