import { createHash } from 'node:crypto';
import type { HostLease } from '@webfarer/protocol';
import { linkVersion, type WorkerFrame } from '@webfarer/protocol/link';
import type { HonestWeb } from './honest-web.ts';

/** What the frames are about: a lease of a host that nobody minds. */
export interface Subject {
  crawl: string;
  lease: HostLease;
  web: HonestWeb;
  /** Grows with every frame, so that there is always something new to offer. */
  n: number;
}

/** Every type of frame there is: one that is added to the link must be added here. */
type SaidBy = Exclude<WorkerFrame['type'], 'foreign-hello'>;

const body = Buffer.from('not a capture');

/** Every frame that a worker may send, whole and right, with every optional field there is. */
export const baseFrames = {
  hello: () => ({
    type: 'hello',
    v: linkVersion,
    worker: 'liar',
    session: 's',
    version: '0',
    connections: 1,
    holds: ['0.1.2'],
    holdsAll: true,
    key: 'k',
    asksSecrets: true,
  }),
  lease: () => ({ type: 'lease', id: 2, hosts: 5, urlsPerHost: 5 }),
  leaseHost: ({ crawl, lease }: Subject) => ({ type: 'leaseHost', id: 2, crawl, host: lease.host }),
  robots: ({ web, lease }: Subject) => ({ type: 'robots', id: 2, origin: originOf(web, lease.host) }),
  previous: ({ crawl, web, lease }: Subject) => ({
    type: 'previous',
    id: 2,
    crawl,
    url: web.lostUrl(lease.host, 0),
    queuedAs: true,
  }),
  secrets: ({ crawl }: Subject) => ({ type: 'secrets', id: 2, crawl }),
  renew: ({ lease }: Subject) => ({ type: 'renew', id: 2, leases: [refOf(lease)] }),
  bodies: ({ crawl }: Subject) => ({
    type: 'bodies',
    id: 2,
    bodies: [
      {
        crawl,
        place: 'spool/x@0',
        bytes: body.length,
        digest: createHash('sha256').update(body).digest('hex'),
        at: 0,
        length: body.length,
      },
    ],
    data: body.toString('base64'),
  }),
  report: reportFrame,
  release: ({ lease }: Subject) => ({ type: 'release', id: 2, leases: [refOf(lease)], all: false }),
  dry: () => ({ type: 'dry', hosts: 3 }),
  look: ({ crawl, lease }: Subject) => ({
    type: 'look',
    look: {
      inFlight: 1,
      waiting: [
        {
          crawl,
          host: lease.host,
          queued: 2,
          dueInMs: 500,
          why: 'backoff',
          dead: false,
          reason: 'connect-refused',
          detail: 'x',
        },
      ],
      written: [{ crawl, files: 1, bytes: 10, open: true }],
      pause: { cause: 'disk', text: 'x', retryInMs: 1_000 },
    },
  }),
  resources: () => ({
    type: 'resources',
    frame: {
      cpu: { cores: [0.5, 1], process: 1.5 },
      memory: { totalBytes: 8, availableBytes: 4, rssBytes: 2, heapBytes: 1, heapLimitBytes: 3 },
      disks: [{ folder: '/x', totalBytes: 10, freeBytes: 5 }],
      network: { receivedBytesPerSecond: 1, sentBytesPerSecond: 2 },
      connections: 3,
      loop: { busy: 0.5, delayMs: 1, maxMs: 2 },
      downloads: { now: 1, most: 2 },
      queues: { outbox: 1, pausing: 2, held: 3, ready: 4 },
    },
  }),
  bye: () => ({ type: 'bye', reason: 'x' }),
} as const satisfies Record<SaidBy, (about: Subject) => { type: string }>;

export type FrameName = keyof typeof baseFrames;

export function refOf({ id, crawl, host, fence }: HostLease) {
  return { id, crawl, host, fence };
}

function originOf(web: HonestWeb, host: string): string {
  return web.lostUrl(host, 0).replace(/\/[^/]*$/, '');
}

function reportFrame({ lease, web, n }: Subject) {
  const [first, second] = lease.entries;
  const url = first?.url ?? web.lostUrl(lease.host, 0);
  const line = Buffer.from(`\u0001 /x\ta\ttext\n`);
  const record = {
    url,
    verdict: 'done',
    reason: 'ok',
    detail: 'x',
    kind: 'page',
    depth: 0,
    label: 'x',
    referrer: url,
    attempts: 1,
    status: 200,
    mime: 'text/html',
    charset: 'utf-8',
    server: 'x',
    redirectTo: url,
    bytes: 10,
    truncated: 'length',
    startedAtMs: 1.5,
    durationMs: 7,
    firstByteMs: 1,
    fetched: { by: 'x', waitedMs: 1, reused: true, dnsMs: 1, connectMs: 1, tlsMs: 1 },
    tries: [{ atMs: 1, tookMs: 1, reason: 'timeout', detail: 'x', by: 'x' }],
    ip: lease.host,
    digest: 'sha1:X',
    title: 'x',
    signals: ['x'],
    looksEmpty: true,
    capturedAtMs: 5,
    saved: [
      {
        saver: 'files',
        file: 'files/x',
        offset: 0,
        length: 1,
        revisit: {
          url,
          startedAtMs: 1,
          digest: 'sha1:X',
          original: { file: 'archive/x', offset: 0, length: 1, status: 200, mime: 'text/html' },
        },
      },
    ],
    resources: [
      {
        url,
        status: 200,
        mime: 'text/css',
        bytes: 3,
        digest: 'sha1:X',
        startedAtMs: 1,
        durationMs: 1,
        saved: [{ saver: 'warc', file: 'archive/x', offset: 0, length: 1 }],
      },
    ],
    links: 1,
    items: 1,
  };
  const times = { startedAtMs: 1, durationMs: 1 };
  const retry = second ? [{ kind: 'retry', url: second.url, reason: 'timeout', detail: 'x', ...times }] : [];
  return {
    type: 'report',
    id: 2,
    edges: line.toString('base64'),
    reports: [
      {
        ...refOf(lease),
        settled: [
          {
            kind: 'outcome',
            record,
            offers: [['page', 1, 0, 0, web.lostUrl(lease.host, n), 'label']],
            edges: [1, line.length],
            items: [{ x: 1 }],
            dropped: { scope: 1 },
          },
          ...retry,
        ],
        robots: [
          {
            origin: originOf(web, lease.host),
            fetchedAtMs: 1,
            state: 'absent',
            status: 404,
            body: '',
            tries: 1,
            firstTriedAtMs: 1,
            detail: 'x',
          },
        ],
        offers: [['sitemap', 0, 0, 0, web.lostUrl(lease.host, n + 1)]],
        news: { endedAgoMs: 1, gapMs: 1, why: 'gap', health: 'ok', reason: 'timeout', detail: 'x' },
        close: n % 3 === 0,
      },
    ],
  };
}
