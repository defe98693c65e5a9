/** What a crawl is to do. */
export interface Plan {
  pages: number;
  hosts: number;
  /** Mean bytes of a page as it comes over the wire. */
  pageBytes: number;
  /** Between two requests to a host. */
  gapMs: number;
  /** Within which it should end. */
  withinMs: number;
  /** Known URLs for each page that is fetched. */
  urlsPerPage: number;
  /** Whether every answer is archived. */
  archives: boolean;
}

export interface Estimate {
  /** The soonest that politeness allows, if hosts are equally large. */
  soonestMs: number;
  /** In the time that is wanted, or politeness allows. */
  pagesPerSecond: number;
  /** Hosts fetched from or paused on at the same time. */
  hostsAtOnce: number;
  workers: number;
  /** For each of them. */
  connections: number;
  coresOfWorkers: number;
  memoryOfWorkers: number;
  knownUrls: number;
  /** `folder`: one coordinator with SQLite; `store`: Valkey or Redis. */
  frontier: 'folder' | 'store';
  storeBytes: number;
  shards: number;
  coordinators: number;
  archiveBytes: number;
  recordBytes: number;
  bitsPerSecond: number;
}

/** Measured, see docs/performance.md and docs/scale.md, which say on what; or said to be an estimate there. */
export const figures = {
  /** Pages of 26 KB and 61 links in a second of CPU time, archived or not. */
  pagesPerCpuSecond: { archived: 447, plain: 563 },
  /** Resident memory of a worker that archives from 200 hosts at once, at its largest. */
  workerBytes: 513 * 2 ** 20,
  /** In the store, for each known URL, with a fifth on top for the engine. */
  storeBytesPerUrl: 80 * 1.2,
  storeBytesPerHost: 250,
  shardBytes: 64 * 2 ** 30,
  /** Of its memory a shard may fill. */
  shardFill: 0.85,
  pagesPerSecondOfShard: 2_500,
  /** Records take 500 bytes to 2 KB; the links of a page 543 bytes. */
  recordBytesPerPage: 1_250 + 543,
} as const;

/** Of its core a worker should use, so that it answers in time. */
const busy = 0.7;
/** Time that a site takes to answer. */
const answerMs = 500;
/** Hosts that one process should hold; each has a connection and a session. */
const hostsOfWorker = 1_000;
/** Known URLs from which a store pays; below, one file holds them well. */
const urlsOfFolder = 50_000_000;

export function estimate(plan: Plan): Estimate {
  const { pages, hosts, gapMs, pageBytes } = plan;
  const turnMs = Math.max(gapMs, 0) + answerMs;
  const soonestMs = Math.ceil(pages / hosts) * turnMs;
  const pagesPerSecond = pages / (Math.max(plan.withinMs, soonestMs) / 1000);
  const hostsAtOnce = Math.min(hosts, Math.ceil((pagesPerSecond * turnMs) / 1000));
  const perCpu = figures.pagesPerCpuSecond[plan.archives ? 'archived' : 'plain'];
  const coresOfWorkers = pagesPerSecond / perCpu / busy;
  const workers = Math.max(1, Math.ceil(coresOfWorkers), Math.ceil(hostsAtOnce / hostsOfWorker));
  const knownUrls = pages * plan.urlsPerPage;
  const storeBytes = knownUrls * figures.storeBytesPerUrl + hosts * figures.storeBytesPerHost;
  const frontier = knownUrls > urlsOfFolder || workers > 8 ? 'store' : 'folder';
  const shards = Math.max(
    Math.ceil(storeBytes / (figures.shardBytes * figures.shardFill)),
    Math.ceil(pagesPerSecond / figures.pagesPerSecondOfShard),
  );
  return {
    soonestMs,
    pagesPerSecond,
    hostsAtOnce,
    workers,
    connections: Math.max(100, Math.ceil(hostsAtOnce / workers)),
    coresOfWorkers,
    memoryOfWorkers: workers * figures.workerBytes,
    knownUrls,
    frontier,
    storeBytes: frontier === 'store' ? storeBytes : 0,
    shards: frontier === 'store' ? shards : 0,
    // One can be lost; beyond that each has the links of some hundred workers.
    coordinators: frontier === 'store' ? Math.max(2, Math.ceil(workers / 100)) : 1,
    archiveBytes: plan.archives ? pages * pageBytes : 0,
    recordBytes: pages * figures.recordBytesPerPage,
    bitsPerSecond: pagesPerSecond * pageBytes * 8,
  };
}
