import type { DatedClock, RobotsCopy, Url } from '@webfarer/protocol';
import type { FetchPolicy } from '@webfarer/protocol/job';
import { maxRobotsBytes } from '@webfarer/protocol/robots';
import { parseUrl } from '@webfarer/protocol/url';
import {
  type Exchange,
  type FetchFailureReason,
  type FetchSession,
  type FetchTimes,
  type TurnPolicy,
} from './fetch.ts';
import { decodeBody } from '../bytes/decode.ts';
import { encodingsOf, locationOf } from '../bytes/headers.ts';
import type { RobotsFiles } from './robots-files.ts';

export interface RobotsRequest {
  session: FetchSession;
  /** Parses what was read. */
  files: RobotsFiles;
  clock: DatedClock;
  /** The origin whose rules are wanted: scheme, host and port. */
  origin: string;
  /** Where a redirect led; absent for `/robots.txt` of the origin itself. */
  url?: Url;
  /** Redirects followed so far. */
  hops: number;
  headers: (url: Url) => [string, string][];
  allowPrivate: readonly string[];
  ports?: FetchPolicy['ports'];
  proxyFor?: (url: Url) => string | undefined;
  signal: AbortSignal;
  turn?: TurnPolicy;
  timeoutMs?: number;
}

export type RobotsAnswer = { contacted: boolean; times: FetchTimes } & (
  | { kind: 'copy'; copy: RobotsCopy; sitemaps: string[] }
  /** Ask again with this URL and one hop more, when its host may be contacted. */
  | { kind: 'redirect'; url: Url }
  /** Given up, by its turn policy, while it waited for its address. */
  | { kind: 'not-begun' }
  /** Nobody answered: the host's trouble or our own network's. */
  | { kind: 'failed'; reason: FetchFailureReason; detail: string }
);

const maxHops = 5;
const robotsTimeoutMs = 10_000;

/**
 * Makes one request for an origin's robots.txt (RFC 9309, 2.3.1). A redirect is handed back, not followed:
 * its next hop owes a gap to this host, or needs a lease of another.
 */
export async function readRobots(request: RobotsRequest): Promise<RobotsAnswer> {
  const url = request.url ?? (`${request.origin}/robots.txt` as Url);
  const proxy = request.proxyFor?.(url);
  const answer = await request.session.fetch({
    url,
    method: 'GET',
    headers: withoutEncodings(request.headers(url)),
    timeoutMs: request.timeoutMs ?? robotsTimeoutMs,
    // One byte more than is read, so that the parser sees that there was more.
    maxBytes: maxRobotsBytes + 1,
    maxDecodedBytes: maxRobotsBytes + 1,
    allowPrivate: request.allowPrivate,
    ...(request.ports === undefined ? {} : { ports: request.ports }),
    ...(proxy === undefined ? {} : { proxy }),
    signal: request.signal,
    ...(request.turn === undefined ? {} : { turn: request.turn }),
  });
  const times = timesOf(answer);
  if (!answer.ok) {
    const { reason, detail, contacted } = answer;
    if (answer.notBegun) return { kind: 'not-begun', contacted, times };
    return { kind: 'failed', reason, detail, contacted, times };
  }
  try {
    return { ...(await meaningOf(answer, url, request)), contacted: true, times };
  } finally {
    answer.release();
  }
}

type Meaning =
  | { kind: 'copy'; copy: RobotsCopy; sitemaps: string[] }
  | { kind: 'redirect'; url: Url }
  | { kind: 'failed'; reason: FetchFailureReason; detail: string };

async function meaningOf(
  answer: Exchange,
  url: Url,
  { hops, origin, clock, files }: RobotsRequest,
): Promise<Meaning> {
  if (answer.truncated === 'time' || answer.truncated === 'disconnect') {
    const reason = answer.truncated === 'time' ? 'timeout' : 'connection-reset';
    return { kind: 'failed', reason, detail: 'robots.txt ended early' };
  }
  const target = redirectTarget(answer, url, hops);
  if (target !== undefined) return { kind: 'redirect', url: target };
  const copy = await copyOf(answer, origin, clock.wall());
  return { kind: 'copy', copy, sitemaps: files.sitemaps(copy) };
}

/** Rules are small; plain text saves decoding, and a bomb has nothing to hide in. */
function withoutEncodings(headers: [string, string][]): [string, string][] {
  return [
    ...headers.filter(([name]) => name.toLowerCase() !== 'accept-encoding'),
    ['Accept-Encoding', 'identity'],
  ];
}

function timesOf({ startedAtMs, durationMs, firstByteMs }: FetchTimes): FetchTimes {
  return { startedAtMs, durationMs, ...(firstByteMs === undefined ? {} : { firstByteMs }) };
}

/** Beyond five hops, or to something that is no web address, the file counts as absent. */
function redirectTarget(page: Exchange, from: Url, hops: number): Url | undefined {
  if (page.status < 300 || page.status >= 400 || hops >= maxHops) return undefined;
  const location = locationOf(page);
  const target = location ? parseUrl(location, from) : undefined;
  if (!target || (target.protocol !== 'http:' && target.protocol !== 'https:')) return undefined;
  target.hash = '';
  target.username = '';
  target.password = '';
  return target.href as Url;
}

async function copyOf(page: Exchange, origin: string, fetchedAtMs: number): Promise<RobotsCopy> {
  const { status } = page;
  const base = { origin, fetchedAtMs, status, body: '' };
  if (status >= 200 && status < 300) {
    const read = await textOf(page);
    if (!read.ok) return { ...base, state: 'unreachable', detail: read.detail };
    return { ...base, state: 'rules', body: read.text };
  }
  if (status === 429 || status >= 500) return { ...base, state: 'unreachable', detail: `answered ${status}` };
  const detail = status < 400 ? `${status} without a usable target` : `answered ${status}`;
  return { ...base, state: 'absent', detail };
}

/** Servers that compress although asked not to are still understood. Rules that cannot be read to their end are none. */
async function textOf(page: Exchange): Promise<{ ok: true; text: string } | { ok: false; detail: string }> {
  const limits = { maxBytes: 4 * maxRobotsBytes, isStrict: true };
  const decoded = await decodeBody(page.body, encodingsOf(page), limits);
  if (!decoded.ok) return { ok: false, detail: `it could not be decoded: ${decoded.detail}` };
  if (decoded.truncated) {
    decoded.free?.();
    const why = decoded.truncated === 'length' ? 'is too long' : 'ends early';
    return { ok: false, detail: `its compressed text ${why}` };
  }
  const text = decode(decoded.body);
  decoded.free?.();
  return { ok: true, text };
}

/** UTF-8 by the standard; UTF-16 where a byte order mark says so. */
function decode(body: Buffer): string {
  const cut = body.subarray(0, maxRobotsBytes + 1);
  const mark = cut.length > 1 ? cut.readUInt16BE(0) : 0;
  if (mark === 0xfffe) return cut.subarray(2).toString('utf16le');
  if (mark === 0xfeff)
    return Buffer.from(cut.subarray(2, cut.length & ~1))
      .swap16()
      .toString('utf16le');
  return cut.toString('utf8').replace(/^\ufeff/, '');
}
