import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { createEventBus } from '@webfarer/coordinator';
import {
  type Balance,
  type CrawlEvent,
  type CrawlId,
  type CrawlSnapshot,
  type Edge,
  type PageRecord,
  systemClock,
  type Url,
} from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { packEdges, pageLinks } from '@webfarer/protocol/link';
import type { CliContext } from './context/context.ts';
import type { CrawlRun, Summary } from './crawl/crawl-run.ts';
import type {
  Change,
  FolderReader,
  ItemChange,
  LocalCrawls,
  OpenOptions,
  Resumed,
} from './crawl/local-port.ts';
import { sampleSnapshot } from './view/snapshot.fixture.ts';

/** A crawl whose course is written down beforehand. */
export interface FakeCourse {
  records?: PageRecord[];
  events?: CrawlEvent[];
  summary?: Partial<Summary>;
  snapshot?: Partial<CrawlSnapshot>;
  resumed?: Resumed;
  items?: unknown[];
  changes?: Change[];
  itemChanges?: ItemChange[];
  edges?: { from: Url; edges: Edge[] }[];
  /** Runs until it is stopped. */
  endless?: boolean;
  /** What opening the folder throws. */
  refuses?: Error;
  /** How long opening it takes. */
  opensAfterMs?: number;
}

export interface FakeWorld {
  context: CliContext;
  out: () => string;
  err: () => string;
  opened: OpenOptions[];
  retried: unknown[];
  stops: { now?: boolean }[];
  interrupt: () => void;
  exits: number[];
}

export function fakeWorld(cwd: string, course: FakeCourse, argv: string[]): FakeWorld {
  let out = '';
  let err = '';
  const interrupts = new Set<() => void>();
  const world: FakeWorld = {
    out: () => out,
    err: () => err,
    opened: [],
    retried: [],
    stops: [],
    exits: [],
    interrupt: () => interrupts.forEach((handler) => handler()),
    context: {
      terminal: {
        out: (text) => void (out += text),
        err: (text) => void (err += text),
        live: false,
        colour: false,
        columns: () => 120,
        rows: () => 40,
      },
      stdout: new Writable({
        write(chunk: Buffer, _encoding, done) {
          out += chunk.toString();
          done();
        },
      }),
      clock: systemClock(),
      cwd,
      version: '0.1.0',
      launcher: 'webfarer',
      argv,
      local: undefined as unknown as LocalCrawls,
      onInterrupt(handler) {
        interrupts.add(handler);
        return () => interrupts.delete(handler);
      },
      onDumpSignal: () => () => undefined,
      exitNow: (code) => void world.exits.push(code),
    },
  };
  world.context.local = fakeLocal(course, world);
  return world;
}

function fakeLocal(course: FakeCourse, world: FakeWorld): LocalCrawls {
  return {
    async openLocal(options) {
      if (course.refuses) throw course.refuses;
      if (course.opensAfterMs !== undefined) await world.context.clock.sleep(course.opensAfterMs);
      world.opened.push(options);
      await mkdir(options.folder, { recursive: true });
      await writeFile(join(options.folder, 'crawl.json'), '{}');
      return { run: fakeRun(course, options, world), ...(course.resumed ? { resumed: course.resumed } : {}) };
    },
    readFolder: async () => fakeReader(course, world),
    async retryFolder(_folder, filter) {
      world.retried.push(filter);
      return course.records?.length ?? 0;
    },
    queueFolder: async (_folder, urls) => urls.length,
  };
}

function snapshotOf(course: FakeCourse): CrawlSnapshot {
  return sampleSnapshot({ waiting: [], ...course.snapshot });
}

function fakeRun(course: FakeCourse, options: OpenOptions, world: FakeWorld): CrawlRun {
  const over = Promise.withResolvers<Summary>();
  const summaryOf = (state: Summary['state']): Summary => ({
    state,
    folder: options.folder,
    snapshot: snapshotOf(course),
    balance: snapshotOf(course).balance,
    unfetchedSeeds: [],
    items: each(course.items ?? []),
    itemChanges: each([]),
    records: each(course.records ?? []),
    ...course.summary,
  });
  if (course.resumed?.state === 'finished') over.resolve(summaryOf('finished'));
  const crawl = 'c1' as CrawlId;
  const bus = createEventBus({ clock: world.context.clock, failed: over.reject });
  const events =
    course.events ?? (course.records ?? []).map((record) => ({ type: 'record' as const, crawl, record }));
  const run: Omit<CrawlRun, 'then'> = {
    async *[Symbol.asyncIterator]() {
      for await (const { event } of this.follow()) yield event;
    },
    async *follow() {
      const follower = bus.follow({ crawl });
      for (const event of events) bus.publish(event);
      yield* follower.take(events.length);
      if (!course.endless) over.resolve(summaryOf('finished'));
      await over.promise;
    },
    async *progress() {},
    snapshot: async () => snapshotOf(course),
    async pause() {},
    async resume() {},
    async stop(how = {}) {
      world.stops.push(how);
      over.resolve(summaryOf('stopped'));
    },
    explain: () => Promise.reject(new Error('not here')),
  };
  // An awaitable run: awaiting it must give the summary, so `then` is the point of this object.
  // oxlint-disable-next-line unicorn/no-thenable
  return { ...run, then: (resolve, reject) => over.promise.then(resolve, reject) };
}

function fakeReader(course: FakeCourse, world: FakeWorld): FolderReader {
  const input = world.opened.at(-1)?.input ?? { seeds: ['example.org'] };
  const balance: Balance = snapshotOf(course).balance;
  return {
    crawl: 'c1' as CrawlId,
    job: resolveJob(input),
    seeds: ['https://example.org/' as Url],
    input,
    busy: false,
    ownCode: false,
    member: undefined,
    objects: undefined,
    jobPath: 'job.yml',
    stall: undefined,
    stoppedAgoMs: 60_000,
    elapsedMs: 92_000,
    state: async () => 'stopped',
    balance: async () => balance,
    kept: async () => undefined,
    totals: async () => ({
      ...snapshotOf(course),
      state: 'stopped',
      edges: 12,
      hosts: 1,
    }),
    waiting: async () => [],
    robots: async () => undefined,
    urls: async () => ({ urls: [], searched: 0, next: undefined }),
    record: async (url) => course.records?.find((record) => record.url === url),
    explain: async (url) => ({
      url: url as never,
      state: 'refused',
      code: 'robots',
      rule: 'line 2',
      lines: ['refused: robots.txt line 2'],
    }),
    results: {
      records: (_crawl, filter) =>
        each(
          (course.records ?? []).filter(
            (r) =>
              (filter?.verdict === undefined || r.verdict === filter.verdict) &&
              (filter?.reason === undefined || r.reason === filter.reason),
          ),
        ),
      items: (_crawl) =>
        each((course.items ?? []).map((item) => ({ url: 'https://example.org/' as never, item }))),
      edges: () =>
        each((course.edges ?? []).map(({ from, edges }) => pageLinks(from, packEdges(from, edges)))),
      edgesOf: async () => [],
      itemsOf: async () => [],
      linksTo: async () => new Map(),
      after: () => Promise.reject(new Error('no command reads page by page')),
      afterIn: () => Promise.reject(new Error('no command reads page by page')),
      newest: () => Promise.reject(new Error('no command reads page by page')),
      onSettled: () => () => undefined,
    },
    previous: course.changes ? '/before.crawl' : undefined,
    changes: () => each(course.changes ?? []),
    itemChanges: () => each(course.itemChanges ?? []),
    close: async () => {},
  };
}

async function* each<T>(values: readonly T[]): AsyncIterable<T> {
  yield* values;
}
