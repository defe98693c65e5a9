import {
  type CoordinatorLink,
  type CrawlId,
  type HostKey,
  type HostLease,
  type LeaseRef,
  type LeaseReport,
  type LeaseRequest,
  type Offer,
  type Settlement,
  type Url,
  WebfarerError,
  type WorkerId,
} from '@webfarer/protocol';
import { areEdges, type Request, type Trust, unpackSent } from '@webfarer/protocol/link';
import { type RequestSecrets, withholdSecrets } from '@webfarer/protocol/job';
import { hostOf, isCrawlUrl, methodOf } from '@webfarer/protocol/url';
import type { Bodies } from './bodies.ts';
import type { WorkerShare } from './lease-sharing.ts';
import type { CrawlsToTell, ToldCrawls } from './told/told-crawls.ts';

/** The worker at the other end, and what it may do. */
export interface Caller {
  worker: WorkerId;
  trust: Trust;
  leases: WorkerShare;
  bodies: Bodies;
  /** A process that the coordinator started: nothing is withheld from it. */
  isChild: boolean;
  /** It asks for the secrets of crawls that it has leases of. */
  asksSecrets: boolean;
  told: Pick<ToldCrawls, 'untold'>;
}

export interface RequestParts {
  link: CoordinatorLink;
  crawls: Pick<CrawlsToTell, 'crawls' | 'crawl'>;
  releaseLeases: (worker: WorkerId) => Promise<unknown>;
}

/** What a request is answered with. */
export async function answerRequest(request: Request, caller: Caller, parts: RequestParts): Promise<unknown> {
  const { link } = parts;
  const { worker, leases, bodies } = caller;
  switch (request.type) {
    case 'lease':
      return await leases.lease(leaseRequest(request, caller, parts));
    case 'secrets':
      return secretsFor(request.crawl, caller, parts);
    case 'leaseHost':
      return await leases.leaseHost({ worker, crawl: request.crawl, host: request.host });
    case 'robots':
      return await link.robots(request.origin);
    case 'previous': {
      const { crawl, url, queuedAs } = request;
      return await link.previous({ crawl, url, queuedAs });
    }
    case 'renew':
      return await leases.renew(request.leases);
    case 'bodies':
      return await bodies.take(request);
    case 'report':
      return await bodies.settle(received(request), (reports) => leases.report(reports));
    case 'release':
      return await release(request, caller, parts);
  }
}

function leaseRequest(
  { hosts, urlsPerHost, without = [] }: Extract<Request, { type: 'lease' }>,
  caller: Caller,
  parts: RequestParts,
): LeaseRequest {
  const left = leftOut(without, caller, parts);
  return { worker: caller.worker, hosts, urlsPerHost, ...(left.length > 0 ? { without: left } : {}) };
}

/**
 * Besides those that it names: crawls that it was not told of, and those with secrets where a worker of an earlier version would
 * fetch their pages without them.
 */
function leftOut(
  without: readonly CrawlId[],
  { trust, isChild, asksSecrets, told }: Caller,
  { crawls }: RequestParts,
): readonly CrawlId[] {
  const unknown = told.untold();
  const left = unknown.length > 0 ? [...without, ...unknown] : without;
  if (isChild || asksSecrets || trust !== 'own') return left;
  const secret = crawls.crawls().filter(({ secrets }) => secrets !== undefined);
  return [...left, ...secret.map(({ id }) => id)];
}

/** Whoever works on a crawl must know them: a worker with a lease of it, that is no stranger. */
function secretsFor(crawl: CrawlId, { trust, leases }: Caller, { crawls }: RequestParts): RequestSecrets {
  const about = trust === 'own' ? crawls.crawl(crawl) : undefined;
  let isHeld = false;
  for (const { ref } of leases.held.values()) isHeld ||= ref?.crawl === crawl;
  const secrets = about && isHeld ? withholdSecrets(about.job).secrets : undefined;
  if (secrets) return secrets;
  throw new WebfarerError(
    'forbidden',
    'the secrets of a crawl are only for workers that hold a lease of it',
    {
      next: 'Request a lease of the crawl first.',
    },
  );
}

function received({ reports, edges }: Extract<Request, { type: 'report' }>): LeaseReport[] {
  const bytes = Buffer.from(edges, 'base64');
  let named = 0;
  for (const { settled } of reports)
    for (const one of settled) if (one.kind === 'outcome') named += one.edges[1];
  if (named !== bytes.length) {
    throw new WebfarerError(
      'frame-invalid',
      `links of ${named} bytes were announced, ${bytes.length} arrived`,
    );
  }
  return unpackSent(reports, bytes).map(wellBehaved);
}

/**
 * A report as a store may have it, whatever the worker is: it speaks of its own host only, and what is not a URL as the
 * parser here writes it is counted as invalid and left out. An older or newer parser on a worker may see some URLs
 * differently, and a report refused for one of them would be refused for ever.
 */
function wellBehaved(report: LeaseReport): LeaseReport {
  const { host, settled, robots = [], offers } = report;
  for (const { origin } of robots) requireHost(hostOf(`${origin}/` as Url), host);
  for (const one of settled) requireHost(hostOf(one.kind === 'retry' ? one.url : one.record.url), host);
  if (offers) report.offers = offers.filter(isUrl);
  for (const one of settled) {
    if (one.kind !== 'outcome') continue;
    requireEdges(one);
    leaveOutNoUrls(one);
  }
  return report;
}

function leaveOutNoUrls(outcome: Extract<Settlement, { kind: 'outcome' }>): void {
  const { offers, dropped } = outcome;
  const good = offers.filter(isUrl);
  if (good.length === offers.length) return;
  outcome.offers = good;
  outcome.dropped = { ...dropped, invalid: (dropped.invalid ?? 0) + offers.length - good.length };
}

/** Links that could not be read back would spoil the results of the whole crawl. */
function requireEdges({ url, edges }: Extract<Settlement, { kind: 'outcome' }>): void {
  if (!('packed' in edges) || areEdges(edges.packed, edges.length)) return;
  throw new WebfarerError('frame-invalid', `the links of ${url} cannot be read`);
}

/** One that sends something is known by a name that says so, and no other is. */
function isUrl({ url, request }: Offer): boolean {
  return isCrawlUrl(url) && methodOf(url) === (request?.method ?? 'GET');
}

function requireHost(found: HostKey, host: HostKey): void {
  if (found === host) return;
  throw new WebfarerError('frame-invalid', `a report about ${host} names ${found}`);
}

async function release(
  { leases: unused, all }: Extract<Request, { type: 'release' }>,
  { worker, trust, leases }: Caller,
  { releaseLeases }: RequestParts,
): Promise<null> {
  if (unused.length > 0) await leases.report(unused.map(untouched));
  // A stranger's word that a process is dead is not enough: what it held runs out by itself.
  if (all && trust === 'own') await releaseLeases(worker);
  return null;
}

/** Given back as it was taken: nothing was asked of the host. */
export function untouched({ id, crawl, host, fence }: LeaseRef | HostLease): LeaseReport {
  const news = { endedAgoMs: null, gapMs: 0, why: 'gap', health: 'none' } as const;
  return { id, crawl, host, fence, settled: [], news, close: true };
}
