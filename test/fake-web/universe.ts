import type { DoneReason, EntryKind, FailedReason, RefusedReason, Verdict } from '@webfarer/protocol';
import { addedPaths, isRemoved } from './epoch.ts';
import type { Host } from './hosts.ts';
import {
  chainHops,
  charsetChild,
  charsetOf,
  dirsPerHub,
  fileKindOf,
  forbiddenExtras,
  indexCount,
  isServing,
  leafKind,
  leafPath,
  missingStatus,
  originFor,
  publicPaths,
  redirectStatus,
  schemeOf,
  sitemapPaths,
  type WebBase,
} from './pages.ts';
import { robotsTruth } from './robots-rules.ts';
import { isTrapHost } from './traps.ts';

/** The right outcome of one URL. */
export interface Expected {
  url: string;
  verdict: Verdict;
  reason: DoneReason | FailedReason | RefusedReason;
  kind: EntryKind;
  /** Where an answer is recorded. */
  status?: number;
  truncated?: 'length';
}

export interface ExpectOptions {
  /** As in the job: what is not saved, or ignored, is refused(type). Default: the job's. */
  types?: { save: readonly string[]; ignore: readonly string[] };
  /** Default 10 MB, as the job's. */
  maxBodyBytes?: number;
  /** Only hosts for which this holds, for crawls that stay within a host or site. Default: all. */
  hosts?: (host: Host) => boolean;
  /** False for crawls that do not read sitemaps: then hidden pages stay unknown. */
  sitemaps?: boolean;
}

type Outcome = Omit<Expected, 'url' | 'kind'>;

const ok: Outcome = { verdict: 'done', reason: 'ok', status: 200 };

/** Every URL of a host that a whole crawl comes to know. Trap hosts have no such list: see `trapRule`. */
export function* hostUniverse(base: WebBase, host: Host, options: ExpectOptions = {}): Generator<Expected> {
  if (isTrapHost(host)) return;
  const barred = barredOutcome(host);
  if (!isServing(host) || host.class === 'secure') {
    const origin = originFor(base, host, 'http');
    for (const path of publicPaths(base, host)) {
      const moved: Outcome = { verdict: 'done', reason: 'redirect', status: 301 };
      yield { url: origin + path, kind: 'page', ...(barred ?? robotsOutcome(base, host, path) ?? moved) };
    }
  }
  if (isServing(host)) yield* servedUrls(base, host, options);
}

function* servedUrls(base: WebBase, host: Host, options: ExpectOptions): Generator<Expected> {
  const own = originFor(base, host, schemeOf(host));
  const page = (path: string, outcome: Outcome): Expected => ({
    url: own + path,
    kind: 'page',
    ...(robotsOutcome(base, host, path) ?? outcome),
  });
  yield page('/', ok);
  for (let n = 0; n < indexCount(host); n++) yield page(`/index/${n}`, ok);
  if (host.hub) for (let n = 0; n < dirsPerHub; n++) yield page(`/dir/${n}`, ok);
  for (const path of forbiddenExtras(host)) yield page(path, ok);
  for (const path of addedPaths(base, host)) yield page(path, ok);
  const withSitemaps = options.sitemaps ?? true;
  if (withSitemaps) for (const path of sitemapPaths(host)) yield { ...page(path, ok), kind: 'sitemap' };
  for (let leaf = 0; leaf < host.leaves; leaf++) {
    if (!withSitemaps && leafKind(base, host, leaf) === 'hidden') continue;
    const path = leafPath(base, host, leaf);
    yield page(path, leafOutcome(base, host, leaf, options));
    if (robotsOutcome(base, host, path) !== undefined) continue;
    for (const [beside, outcome] of besideOutcomes(base, host, leaf)) yield page(beside, outcome);
  }
}

/** Why nothing of this host can be fetched, if so. */
function barredOutcome(host: Host): Outcome | undefined {
  if (host.class === 'dead') return { verdict: 'failed', reason: 'host-dead' };
  if (host.class === 'no-name') return { verdict: 'failed', reason: 'dns-not-found' };
  if (host.robots === 'broken-500') return { verdict: 'refused', reason: 'robots-unreachable' };
  if (host.robots === 'patience') return { verdict: 'refused', reason: 'crawl-delay' };
  return undefined;
}

function robotsOutcome(base: WebBase, host: Host, path: string): Outcome | undefined {
  return robotsTruth(base, host, path).allowed ? undefined : { verdict: 'refused', reason: 'robots' };
}

function leafOutcome(base: WebBase, host: Host, leaf: number, options: ExpectOptions): Outcome {
  const moved = (status: number): Outcome => ({ verdict: 'done', reason: 'redirect', status });
  const kind = leafKind(base, host, leaf);
  if (isRemoved(base, host, leaf)) return { verdict: 'done', reason: 'http-4xx', status: 404 };
  switch (kind) {
    case 'redirect':
    case 'redirect-away':
      return moved(redirectStatus(base, host, leaf));
    case 'redirect-chain':
      return moved(302);
    case 'redirect-loop':
      return moved(301);
    case 'missing':
      return { verdict: 'done', reason: 'http-4xx', status: missingStatus(base, host, leaf) };
    case 'broken':
      return { verdict: 'failed', reason: 'http-5xx', status: 500 };
    case 'huge':
      return base.hugeBytes > (options.maxBodyBytes ?? 10_000_000) ? { ...ok, truncated: 'length' } : ok;
    case 'file':
      return isSaved(fileKindOf(base, host, leaf).mime, options)
        ? ok
        : { verdict: 'refused', reason: 'type', status: 200 };
    case 'plain':
    case 'flaky':
    case 'slow':
    case 'twin-body':
    case 'charset':
    case 'nofollow-link':
    case 'nofollow-page':
    case 'base':
    case 'hidden':
    case 'gzip':
    case 'chunked':
    case 'retry-429':
    case 'retry-503':
      return ok;
  }
}

/** URLs that only this leaf leads to. */
function* besideOutcomes(base: WebBase, host: Host, leaf: number): Generator<[string, Outcome]> {
  const kind = leafKind(base, host, leaf);
  if (kind === 'redirect-chain') {
    for (let hop = chainHops(base, host, leaf); hop > 0; hop--) {
      yield [`/r/${leaf}/${hop}`, { verdict: 'done', reason: 'redirect', status: 302 }];
    }
  }
  if (kind === 'redirect-loop') yield [`/loop/${leaf}`, { verdict: 'done', reason: 'redirect', status: 307 }];
  if (kind === 'charset') yield [charsetChild(charsetOf(base, host, leaf), leaf).path, ok];
}

const defaultTypes = { save: ['text/*', 'application/xhtml+xml', 'application/pdf'], ignore: ['video/*'] };

function isSaved(mime: string, options: ExpectOptions): boolean {
  const types = options.types ?? defaultTypes;
  return types.save.some((p) => fitsType(p, mime)) && !types.ignore.some((p) => fitsType(p, mime));
}

function fitsType(pattern: string, mime: string): boolean {
  const [major, minor] = pattern.split('/');
  const [type, sub] = mime.split('/');
  return (major === '*' || major === type) && (minor === '*' || minor === sub);
}
