import {
  type CoordinatorLink,
  type HostLease,
  type LeaseRef,
  type LeaseReport,
  maxUrlBytes,
  type Offer,
  type Request,
  type Trust,
  unpackSent,
  WebfarerError,
  type WorkerId,
} from '@webfarer/protocol';
import type { Bodies } from './bodies.ts';
import type { Seat } from './seats.ts';

/** As the parser writes them; that it is exactly what the parser would write is believed. */
const urlShape = /^https?:\/\/[^\s/?#@]+\/[\x21\x22\x24-\x7e]*$/;

/** Whoever is at the other end, and what it may do. */
export interface Caller {
  worker: WorkerId;
  trust: Trust;
  seat: Seat;
  bodies: Bodies;
}

export interface RequestParts {
  link: CoordinatorLink;
  releaseLeases: (worker: WorkerId) => Promise<unknown>;
}

/** What a request is answered with. */
export async function answerRequest(request: Request, caller: Caller, parts: RequestParts): Promise<unknown> {
  const { link } = parts;
  const { worker, seat, bodies } = caller;
  switch (request.type) {
    case 'lease':
      return await seat.lease({ worker, hosts: request.hosts, urlsPerHost: request.urlsPerHost });
    case 'leaseHost':
      return await seat.leaseHost({ worker, crawl: request.crawl, host: request.host });
    case 'robots':
      return await link.robots(request.origin);
    case 'previous': {
      const { crawl, url, queuedAs } = request;
      return await link.previous({ crawl, url, queuedAs });
    }
    case 'renew':
      return await seat.renew(request.leases);
    case 'bodies':
      return await bodies.take(request);
    case 'report':
      return await bodies.settle(received(request), (reports) => seat.report(reports));
    case 'release':
      return await release(request, caller, parts);
  }
}

function received({ reports, edges }: Extract<Request, { type: 'report' }>): LeaseReport[] {
  const bytes = Buffer.from(edges, 'base64');
  let named = 0;
  for (const { settled } of reports)
    for (const one of settled) if (one.kind === 'outcome') named += one.edges[1];
  if (named !== bytes.length) {
    throw new WebfarerError('frame-invalid', `links of ${named} bytes were named, ${bytes.length} came`);
  }
  const unpacked = unpackSent(reports, bytes);
  for (const { settled, offers = [] } of unpacked) {
    requireUrls(offers);
    for (const one of settled) if (one.kind === 'outcome') requireUrls(one.offers);
  }
  return unpacked;
}

/** Whatever the worker is: what is no URL would be queued for ever, or worse. */
function requireUrls(offers: readonly Offer[]): void {
  for (const { url } of offers) {
    if (url.length > maxUrlBytes || !urlShape.test(url)) {
      throw new WebfarerError('frame-invalid', `an offer is not a URL: ${url.slice(0, 100)}`);
    }
  }
}

async function release(
  { leases, all }: Extract<Request, { type: 'release' }>,
  { worker, trust, seat }: Caller,
  { releaseLeases }: RequestParts,
): Promise<null> {
  if (leases.length > 0) await seat.report(leases.map(untouched));
  // A stranger's word that a process is dead is not enough: what it held runs out by itself.
  if (all && trust === 'own') await releaseLeases(worker);
  return null;
}

/** Given back as it was taken: nothing was asked of the host. */
export function untouched({ id, crawl, host, fence }: LeaseRef | HostLease): LeaseReport {
  const news = { endedAgoMs: null, gapMs: 0, why: 'gap', health: 'none' } as const;
  return { id, crawl, host, fence, settled: [], news, close: true };
}
