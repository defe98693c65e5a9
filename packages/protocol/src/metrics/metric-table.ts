import { doneReasons, failedReasons, refusedReasons, waitReasons } from '../base/reasons.ts';
import { eventCatalogue } from '../crawl/event-catalogue.ts';
import { stallCauses } from '../crawl/stall-causes.ts';

export type MetricKind = 'counter' | 'gauge' | 'histogram';

/**
 * The values a label can have: a closed list, the names of crawls (at most `crawlLabels`, then `other`), or one text that
 * stays the same as long as the process lives. Nothing that grows with the web is ever a label.
 */
export type LabelValues = readonly string[] | 'crawl' | 'fixed';

export interface MetricMeaning {
  kind: MetricKind;
  /** Which processes have it. A coordinator with a worker inside has both kinds. */
  on: 'coordinator' | 'worker' | 'both';
  /**
   * `process`: each process reports its own part. `store`: a fact about the store, which one coordinator of the store
   * reports for all. So a sum over all processes is right for every metric.
   */
  of: 'process' | 'store';
  help: string;
  labels: Readonly<Record<string, LabelValues>>;
  /** Upper bounds of a histogram's buckets, ascending. */
  buckets?: readonly number[];
}

/** Crawls that have a label of their own. */
export const crawlLabels = 50;
/** The label of all other crawls, and of a value that is not in its list. */
export const otherLabel = 'other';

const outcome = ['done', 'failed', 'refused'] as const;
const reason = [
  ...new Set([...Object.keys(doneReasons), ...Object.keys(failedReasons), ...Object.keys(refusedReasons)]),
];
const cause = Object.keys(stallCauses);
const wait = Object.keys(waitReasons);
/** Why a worker pauses by itself. */
const workerPause = ['disk', 'store', 'no-network', 'object-storage', 'saving'] as const;
/** Why a worker leaves a crawl out. */
const leftOut = ['object-storage', 'saving', 'min-free', 'workers-unable'] as const;
/** Which of the processes of `--processes`; further ones are counted as `other`. */
const workerProcess = Array.from({ length: 32 }, (_, n) => String(n + 1));
const eventType = Object.entries(eventCatalogue)
  .filter(([, { level }]) => level !== 'debug')
  .map(([type]) => type);

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const storeSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const loopSeconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const gapSeconds = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600];

/** Every metric there is. docs/metrics.md is generated from this table, and nothing outside it can be reported. */
export const metricTable = {
  webfarer_build_info: {
    kind: 'gauge',
    on: 'both',
    of: 'process',
    help: 'Always 1. The labels name the version of Webfarer, the version of Node and the command.',
    labels: { version: 'fixed', node: 'fixed', role: ['coordinator', 'worker', 'crawl'] },
  },
  webfarer_pages_total: {
    kind: 'counter',
    on: 'coordinator',
    of: 'process',
    help: 'Outcomes of URLs that this coordinator committed, by outcome and reason.',
    labels: { crawl: 'crawl', outcome, reason },
  },
  webfarer_bytes_total: {
    kind: 'counter',
    on: 'coordinator',
    of: 'process',
    help: 'Bytes of the bodies of those outcomes.',
    labels: { crawl: 'crawl' },
  },
  webfarer_events_total: {
    kind: 'counter',
    on: 'coordinator',
    of: 'process',
    help: 'Events of this coordinator, except those that happen with every page or host. See events.md.',
    labels: { type: eventType },
  },
  webfarer_crawls: {
    kind: 'gauge',
    on: 'coordinator',
    of: 'store',
    help: 'Crawls that are open, by state.',
    labels: { state: ['running', 'paused'] },
  },
  webfarer_urls: {
    kind: 'gauge',
    on: 'coordinator',
    of: 'store',
    help: 'URLs of an open crawl, by state. Queued and leased ones are still to come.',
    labels: { crawl: 'crawl', state: ['queued', 'leased', ...outcome] },
  },
  webfarer_hosts_queued: {
    kind: 'gauge',
    on: 'coordinator',
    of: 'store',
    help: 'Hosts of an open crawl that have URLs in the queue.',
    labels: { crawl: 'crawl' },
  },
  webfarer_hosts_due: {
    kind: 'gauge',
    on: 'coordinator',
    of: 'store',
    help: 'Hosts of an open crawl that are due now and wait for a free worker. Counts to 100.',
    labels: { crawl: 'crawl' },
  },
  webfarer_crawls_stalled: {
    kind: 'gauge',
    on: 'coordinator',
    of: 'store',
    help: 'Running crawls that make no progress, by cause. See reasons.md.',
    labels: { cause },
  },
  webfarer_crawl_stalled: {
    kind: 'gauge',
    on: 'coordinator',
    of: 'store',
    help: '1 while an open crawl makes no progress, with the cause.',
    labels: { crawl: 'crawl', cause },
  },
  webfarer_leases: {
    kind: 'gauge',
    on: 'coordinator',
    of: 'process',
    help: 'Hosts that the workers of this coordinator hold.',
    labels: {},
  },
  webfarer_workers: {
    kind: 'gauge',
    on: 'coordinator',
    of: 'process',
    help: 'Workers connected to this coordinator. A paused one is also counted as connected.',
    labels: { state: ['connected', 'paused', 'cordoned'] },
  },
  webfarer_workers_paused: {
    kind: 'gauge',
    on: 'coordinator',
    of: 'process',
    help: 'Workers connected to this coordinator that have paused by themselves, by cause.',
    labels: { cause: workerPause },
  },
  webfarer_coordinators: {
    kind: 'gauge',
    on: 'coordinator',
    of: 'store',
    help: 'Coordinators of the store that are present; 1 without a store.',
    labels: {},
  },
  webfarer_store_call_seconds: {
    kind: 'histogram',
    on: 'coordinator',
    of: 'process',
    help: 'How long calls to the shared store took, with retries. Absent without a store.',
    labels: { result: ['ok', 'failed'] },
    buckets: storeSeconds,
  },
  webfarer_store_trouble: {
    kind: 'gauge',
    on: 'coordinator',
    of: 'process',
    help: '1 while calls to the store wait for longer than 2 s, by cause. All are 0 while it answers.',
    labels: { cause: ['store', 'store-full', 'store-replicas'] },
  },
  webfarer_certificate_expires_seconds: {
    kind: 'gauge',
    on: 'coordinator',
    of: 'process',
    help: 'When the certificate of --tls-cert that is in use expires, seconds since 1970. Absent without TLS.',
    labels: {},
  },
  webfarer_webhook_attempts_total: {
    kind: 'counter',
    on: 'coordinator',
    of: 'process',
    help: 'Attempts of this coordinator to deliver a message to a webhook, by result.',
    labels: { result: ['delivered', 'failed'] },
  },
  webfarer_webhook_messages: {
    kind: 'gauge',
    on: 'coordinator',
    of: 'store',
    help: 'Messages to webhooks that wait to be delivered, and those given up in the last 30 days.',
    labels: { state: ['pending', 'dead'] },
  },
  webfarer_disk_free_bytes: {
    kind: 'gauge',
    on: 'both',
    of: 'process',
    help: 'Free space on the disk of the folder of this process.',
    labels: {},
  },
  webfarer_disk_size_bytes: {
    kind: 'gauge',
    on: 'both',
    of: 'process',
    help: 'Size of that disk.',
    labels: {},
  },
  webfarer_clock_seconds: {
    kind: 'gauge',
    on: 'both',
    of: 'process',
    help: 'The time on the clock of this process, seconds since 1970. To be compared with the time of the scrape.',
    labels: {},
  },
  webfarer_event_loop_delay_seconds: {
    kind: 'histogram',
    on: 'both',
    of: 'process',
    help: 'How late the event loop ran a timer that is due four times a second.',
    labels: {},
    buckets: loopSeconds,
  },
  webfarer_scrape_failures_total: {
    kind: 'counter',
    on: 'both',
    of: 'process',
    help: 'Parts of a scrape that could not be read, or not in time. Their metrics were absent from it.',
    labels: {},
  },
  webfarer_worker_pages_total: {
    kind: 'counter',
    on: 'worker',
    of: 'process',
    help: 'Outcomes that this worker reported and a coordinator accepted, by outcome and reason.',
    labels: { crawl: 'crawl', outcome, reason },
  },
  webfarer_worker_bytes_total: {
    kind: 'counter',
    on: 'worker',
    of: 'process',
    help: 'Bytes of the bodies of those outcomes.',
    labels: { crawl: 'crawl' },
  },
  webfarer_worker_cookies_left_out_total: {
    kind: 'counter',
    on: 'worker',
    of: 'process',
    help: 'Cookies that were not kept, because their site or the crawl has no room for more.',
    labels: { crawl: 'crawl' },
  },
  webfarer_worker_fetch_seconds: {
    kind: 'histogram',
    on: 'worker',
    of: 'process',
    help: 'How long requests for URLs took, from the first byte sent to the last received, by result.',
    labels: { result: ['ok', 'failed'] },
    buckets: seconds,
  },
  webfarer_worker_gap_seconds: {
    kind: 'histogram',
    on: 'worker',
    of: 'process',
    help: 'Gaps that hosts were given after a request, by cause.',
    labels: { cause: wait },
    buckets: gapSeconds,
  },
  webfarer_worker_requests: {
    kind: 'gauge',
    on: 'worker',
    of: 'process',
    help: 'Requests for URLs that are in flight.',
    labels: {},
  },
  webfarer_worker_hosts_held: {
    kind: 'gauge',
    on: 'worker',
    of: 'process',
    help: 'Hosts that this worker holds.',
    labels: {},
  },
  webfarer_worker_hosts_most: {
    kind: 'gauge',
    on: 'worker',
    of: 'process',
    help: 'Hosts that this worker can hold (--connections).',
    labels: {},
  },
  webfarer_worker_hosts_waiting: {
    kind: 'gauge',
    on: 'worker',
    of: 'process',
    help: 'Hosts that this worker holds and that pause before their next request, by cause.',
    labels: { cause: wait },
  },
  webfarer_worker_paused: {
    kind: 'gauge',
    on: 'worker',
    of: 'process',
    help: '1 while this worker has paused by itself, by cause. `disk` is its storage gate.',
    labels: { cause: workerPause },
  },
  webfarer_worker_crawls_left_out: {
    kind: 'gauge',
    on: 'worker',
    of: 'process',
    help: 'Crawls that this worker cannot work on now and tries again, by cause. Others are not affected.',
    labels: { cause: leftOut },
  },
  webfarer_worker_connected: {
    kind: 'gauge',
    on: 'worker',
    of: 'process',
    help: '1 while this worker is connected to a coordinator.',
    labels: {},
  },
  webfarer_worker_outbox_reports: {
    kind: 'gauge',
    on: 'worker',
    of: 'process',
    help: 'Reports that no coordinator has acknowledged yet.',
    labels: {},
  },
  webfarer_worker_egress_refusals_total: {
    kind: 'counter',
    on: 'worker',
    of: 'process',
    help: 'Requests that the egress refused before anything was sent, by reason.',
    labels: { reason: ['private-address', 'port'] },
  },
  webfarer_worker_browser_pages_total: {
    kind: 'counter',
    on: 'worker',
    of: 'process',
    help: 'Pages shown in a browser, by result.',
    labels: { result: ['ok', 'render-timeout', 'render-crash', 'step-failed'] },
  },
  webfarer_worker_browser_pages: {
    kind: 'gauge',
    on: 'worker',
    of: 'process',
    help: 'Pages that are in a browser, or wait for one.',
    labels: {},
  },
  webfarer_worker_process_cpu_seconds_total: {
    kind: 'counter',
    on: 'worker',
    of: 'process',
    help: 'CPU time of each worker process of `--processes`. Those of the process that is scraped are process_cpu_seconds_total.',
    labels: { process: workerProcess },
  },
  webfarer_worker_process_memory_bytes: {
    kind: 'gauge',
    on: 'worker',
    of: 'process',
    help: 'Memory of each worker process of `--processes` that is in RAM.',
    labels: { process: workerProcess },
  },
  process_cpu_seconds_total: {
    kind: 'counter',
    on: 'both',
    of: 'process',
    help: 'CPU time of this process, in user and system mode.',
    labels: {},
  },
  process_resident_memory_bytes: {
    kind: 'gauge',
    on: 'both',
    of: 'process',
    help: 'Memory of this process that is in RAM.',
    labels: {},
  },
  process_start_time_seconds: {
    kind: 'gauge',
    on: 'both',
    of: 'process',
    help: 'When this process started, in seconds since 1970.',
    labels: {},
  },
  nodejs_heap_used_bytes: {
    kind: 'gauge',
    on: 'both',
    of: 'process',
    help: 'Of that memory, the part that JavaScript objects use.',
    labels: {},
  },
} as const satisfies Record<string, MetricMeaning>;

export type MetricTable = typeof metricTable;
export type MetricName = keyof MetricTable;
export type MetricOf<Kind extends MetricKind> = {
  [Name in MetricName]: MetricTable[Name]['kind'] extends Kind ? Name : never;
}[MetricName];
/** A text for every label of the metric. */
export type LabelsOf<Name extends MetricName> = {
  readonly [Label in keyof MetricTable[Name]['labels']]: string;
};
