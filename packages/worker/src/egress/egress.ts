import type { DatedClock, Url } from '@webfarer/protocol';
import type { Metrics } from '@webfarer/protocol/metrics';
import { defaultPerAddress } from '@webfarer/protocol/job';
import type { GrowingBytes } from '../bytes/growing-bytes.ts';
import { type AllowList, createAllowLists } from './allow-list.ts';
import { createDnsCache, type DnsCache } from './dns-cache.ts';
import { type Bounds, createBounds } from './bounds.ts';
import { startDeadline } from './deadline.ts';
import { createDialler, type Dialler, type Trace } from './dial.ts';
import { exchange, type Received } from './exchange.ts';
import { type Connection, createPool, type Pool } from './pool.ts';
import { parseProxy, type Proxy, proxyAuthorization } from './proxy.ts';
import {
  type AddressTurns,
  type CappedAddress,
  createAddressTurns,
  createCappedAddress,
  type Turn,
} from './turns.ts';
import { noDelay, type OwnDelay } from './own-delay.ts';
import { exchangeFault, FetchFault, isEarlyClose } from './failures.ts';
import type {
  Exchange,
  Fetch,
  FetchAnswer,
  FetchedPage,
  FetchFailure,
  FetchRequest,
  FetchTimes,
} from '../fetch/fetch.ts';
import { noOthers } from '../fetch/fetch.ts';
import { type RequestSigner, signatureNames } from '../identity/request-signer.ts';
import { createHeldBytes, type HeldBytes, type Holder } from './held-bytes.ts';
import { createStop, type Stop, unlessStopped } from './stop.ts';
import { type Target, targetOf } from './target.ts';

export interface EgressOptions {
  clock: DatedClock;
  /** Addresses of name servers instead of the system's. */
  dns?: readonly string[] | undefined;
  /** PEM certificates to trust beside the usual ones. */
  ca?: string | undefined;
  connectTimeoutMs?: number;
  /** Idle connections kept over all hosts. */
  maxIdleConnections?: number;
  keepAliveMs?: number;
  maxHeaderBytes?: number;
  maxHeaders?: number;
  /** Bytes of large bodies that may be in memory at once, until their pages are released. */
  maxHeldBytes?: number;
  /** Shared by all crawls of a worker: a server does not care which of them a request is for. */
  turns?: AddressTurns;
  /** Absent: requests go out unsigned. */
  signer?: RequestSigner | undefined;
  /** For how long this process was too busy to look at its sockets; absent: never. */
  delay?: OwnDelay;
  /** Where it is counted what the guard refuses; absent: nowhere. */
  metrics?: Pick<Metrics, 'count'> | undefined;
}

/** Every outbound byte of a worker goes through one of these. */
export interface Egress extends Fetch {
  /** Looks up the name and opens a connection under the same guard, without sending a request. */
  reach(target: ReachTarget): Promise<ReachAnswer>;
  /** Sends a body under the same guard, on a connection of its own. Of the answer, at most `maxBytes` are read. */
  post(request: PostRequest): Promise<PostAnswer>;
  /** Do the name servers answer? */
  probeDns(): ReturnType<DnsCache['probe']>;
}

export type ReachTarget = Pick<
  FetchRequest,
  'url' | 'ports' | 'allowPrivate' | 'timeoutMs' | 'signal' | 'proxy'
>;

export type PostRequest = Pick<
  FetchRequest,
  'url' | 'headers' | 'timeoutMs' | 'allowPrivate' | 'signal' | 'maxBytes'
> & { content: string };

export type PostAnswer =
  | (Pick<Exchange, 'status' | 'headers' | 'truncated'> & { ok: true; body: Uint8Array<ArrayBuffer> })
  | FetchFailure;

export type ReachAnswer = { ok: true; ip: string } | FetchFailure;

interface Parts {
  clock: DatedClock;
  bounds: Bounds;
  allowListOf: (entries: readonly string[]) => AllowList;
  dialler: Dialler;
  pool: Pool;
  held: HeldBytes;
  delay: OwnDelay;
  turns: AddressTurns;
  cappedAddress: CappedAddress;
  maxHeaders: number;
  maxHeaderBytes: number;
  signer: RequestSigner | undefined;
  metrics: EgressOptions['metrics'];
}

/** One request on its way. */
interface Errand<R = FetchRequest> {
  request: R;
  target: Target;
  allow: AllowList;
  proxy: Proxy | undefined;
  stop: Stop;
  trace: Trace;
  /** Counts the body against what all bodies may take. */
  holder: Holder;
  /** Takes a turn on the address and gives back one on another; a promise when it has to wait. */
  turnAt: (ip: string | undefined) => Promise<void> | undefined;
  /** Throws when the deadline has passed, whether or not its timer has fired. */
  inTime: () => void;
  /** By the clock that runs on evenly. */
  beganAtMs: () => number;
}

type Under = Pick<Errand, 'stop' | 'trace' | 'holder' | 'turnAt' | 'inTime' | 'beganAtMs'>;

/** The deadline passed. What that means depends on how far the request came. */
class Expired extends Error {}
/** The caller's signal was aborted. */
class Cancelled extends Error {}
/** The caller gave the request up while it waited for its address. */
class NotBegun extends Error {}

export function createEgress(options: EgressOptions): Egress {
  const { clock, connectTimeoutMs = 10_000, maxHeaders = 256, maxHeaderBytes = 65_536 } = options;
  const dns = createDnsCache({ clock, servers: options.dns });
  const dialler = createDialler({ clock, dns, ca: options.ca, connectTimeoutMs });
  const pool = createPool({
    maxIdle: options.maxIdleConnections ?? 1_000,
    maxHeaderBytes,
    keepAliveMs: options.keepAliveMs ?? 4_000,
  });
  const held = createHeldBytes(options.maxHeldBytes ?? 33_554_432, clock);
  const parts: Parts = {
    clock,
    bounds: createBounds(clock),
    allowListOf: createAllowLists(),
    dialler,
    pool,
    held,
    delay: options.delay ?? noDelay,
    turns: options.turns ?? createAddressTurns(),
    cappedAddress: createCappedAddress(),
    maxHeaders,
    maxHeaderBytes,
    signer: options.signer,
    metrics: options.metrics,
  };
  const fetch = (request: FetchRequest): Promise<FetchAnswer> => fetchOnce(request, parts);
  return {
    open: (host) => ({ fetch, close: () => pool.forget(host.replace(/^\[|\]$/g, '')) }),
    reach: (target) => reach(target, parts),
    post: (request) => post(request, parts),
    async close() {
      dns.close();
      await pool.close();
    },
    probeDns: () => dns.probe(),
  };
}

type Limits = Pick<FetchRequest, 'timeoutMs' | 'signal' | 'turn'>;

/** Runs one errand under its deadline and its caller's signal; whatever it throws becomes a value. */
async function bounded<T>(
  { timeoutMs, signal, turn: policy }: Limits,
  { clock, bounds, held, delay, turns, cappedAddress, metrics }: Parts,
  work: (under: Under, times: () => FetchTimes) => Promise<T>,
): Promise<T | FetchFailure> {
  const { totalMs: delayedMs } = delay;
  let startedAtMs = clock.now();
  /** What others read as the time of the request. Waits and deadlines go by the other clock, which nobody can set. */
  let startedOnMs = clock.wall();
  let delayedBefore = delayedMs();
  const stop = createStop();
  const free = bounds.unlessAborted(signal, () => stop.stop(new Cancelled()));
  const holder = held.open();
  const expired = (why: string): void => stop.stop(new Expired(why));
  let done = startDeadline({ bounds, timeoutMs, holder, delayedMs, expired });
  const trace: Trace = { contacted: false, phase: 'names', phases: {} };
  const times = (): FetchTimes => {
    const durationMs = clock.now() - startedAtMs;
    const ownMs = Math.min(delayedMs() - delayedBefore, durationMs);
    const { phases } = trace;
    const made = { startedAtMs: startedOnMs, durationMs, phases };
    return ownMs > 0 ? { ...made, ownMs } : made;
  };
  // A process that was frozen hears of the connection it waited for before it hears of its deadline.
  const inTime = (): void => {
    if (clock.now() - startedAtMs >= timeoutMs) throw new Expired(`not begun within ${timeoutMs} ms`);
  };
  let turn: Turn | undefined;
  let turnOn: string | undefined;
  const turnAt = (ip: string | undefined): Promise<void> | undefined => {
    const address = cappedAddress(ip);
    if (address === turnOn) return undefined;
    turn?.end();
    turnOn = address;
    turn = address === undefined ? undefined : turns.take(address, policy?.most ?? defaultPerAddress);
    return turn?.comes && wait(turn.comes);
  };
  async function wait(comes: Promise<void>): Promise<void> {
    done();
    const deaf = policy?.endsOn.map((ends) => bounds.unlessAborted(ends, () => stop.stop(new NotBegun())));
    try {
      await unlessStopped(stop, comes);
    } finally {
      for (const off of deaf ?? []) off();
    }
    if (policy?.mayBegin() === false) throw new NotBegun();
    startedAtMs = clock.now();
    startedOnMs = clock.wall();
    delayedBefore = delayedMs();
    // Phases are parts of the time that counts from here.
    trace.phases = {};
    done = startDeadline({ bounds, timeoutMs, holder, delayedMs, expired });
  }
  try {
    return await work({ stop, trace, holder, turnAt, inTime, beganAtMs: () => startedAtMs }, times);
  } catch (error) {
    holder.release();
    const failure = failureOf(error, trace, times());
    const { reason } = failure;
    if (reason === 'private-address' || reason === 'port')
      metrics?.count('webfarer_worker_egress_refusals_total', { reason });
    return failure;
  } finally {
    turn?.end();
    done();
    free();
  }
}

function fetchOnce(request: FetchRequest, parts: Parts): Promise<FetchAnswer> {
  return bounded<FetchedPage>(request, parts, async (under, times) =>
    run(prepare(request, under, parts), parts, times),
  );
}

async function post(request: PostRequest, parts: Parts): Promise<PostAnswer> {
  const { maxBytes } = request;
  const answer = await fetchOnce(
    { ...request, method: 'POST', maxDecodedBytes: maxBytes, wanted: () => maxBytes > 0 },
    parts,
  );
  if (!answer.ok) return answer;
  const { status, headers, truncated } = answer;
  const body = Uint8Array.from(answer.body);
  answer.release();
  return { ok: true, status, headers, body, ...(truncated === undefined ? {} : { truncated }) };
}

function reach(target: ReachTarget, parts: Parts): Promise<ReachAnswer> {
  return bounded(target, parts, async (under) => {
    // No request is sent, and whether the network is there must not depend on a busy server.
    const errand = prepare(target, { ...under, turnAt: () => undefined }, parts);
    const { socket, ip } = await parts.dialler.dial(errand);
    socket.destroy();
    return { ok: true as const, ip: ip ?? errand.target.host };
  });
}

function prepare<R extends ReachTarget>(request: R, under: Under, parts: Parts): Errand<R> {
  const target = targetOf(request.url);
  const allow = parts.allowListOf(request.allowPrivate);
  if (!allow.portPermitted(target, request.ports ?? 'safe'))
    throw new FetchFault('port', `port ${target.port} is not allowed`);
  const proxy = request.proxy === undefined ? undefined : parseProxy(request.proxy);
  if (request.proxy !== undefined && !proxy)
    throw new FetchFault('unreachable', 'the proxy is not a valid URL');
  return { request, target, allow, proxy, ...under };
}

function failureOf(error: unknown, trace: Trace, times: FetchTimes): FetchFailure {
  const { reason, message: detail } = faultOf(error, trace);
  const isOurs = error instanceof NotBegun || (isLate(error) && mostlyOurs(times));
  const notBegun = isOurs ? ({ notBegun: true } as const) : {};
  return { ok: false, reason, detail, contacted: trace.contacted, ...notBegun, ...times };
}

const isLate = (error: unknown): boolean =>
  error instanceof Expired || (error instanceof FetchFault && error.reason === 'connect-timeout');

/** For half of the time, at least, this process was too busy to see what the host did. */
const mostlyOurs = ({ ownMs = 0, durationMs }: FetchTimes): boolean => ownMs > 0 && ownMs * 2 >= durationMs;

const lateReasons = { names: 'dns-failed', connecting: 'connect-timeout', talking: 'timeout' } as const;

function faultOf(error: unknown, { phase }: Trace): FetchFault {
  // Whoever aborts knows it from the signal; the reason only has to be one that is tried again.
  if (error instanceof Cancelled) return new FetchFault('timeout', 'dropped before it was complete');
  if (error instanceof NotBegun) return new FetchFault('timeout', 'given up before its address was free');
  if (!(error instanceof Expired)) return exchangeFault(error);
  return new FetchFault(lateReasons[phase], error.message);
}

async function run(errand: Errand, parts: Parts, times: () => FetchTimes): Promise<FetchedPage> {
  const { holder } = errand;
  const { main, body } = await fetched(errand, parts, times);
  const release = (): void => {
    body.free();
    holder.release();
  };
  return Object.assign(main, { ok: true as const, others: noOthers, rendered: undefined, release });
}

async function fetched(
  errand: Errand,
  parts: Parts,
  times: () => FetchTimes,
): Promise<{ main: Exchange; body: GrowingBytes }> {
  for (;;) {
    const connection = await connectionFor(errand, parts);
    try {
      errand.inTime();
    } catch (error) {
      parts.pool.drop(connection);
      throw error;
    }
    errand.trace.contacted = true;
    errand.trace.phase = 'talking';
    const { path, headers, head } = requestHeadOf(errand, parts.signer);
    const { method, maxBytes, wanted, content } = errand.request;
    const { stop, holder } = errand;
    const { clock, maxHeaders, maxHeaderBytes } = parts;
    const got = await exchange({
      connection,
      method,
      path,
      headers,
      content,
      maxBytes,
      maxHeaders,
      maxHeaderBytes,
      holder,
      wanted,
      stop,
      clock,
    });
    const whole = got.error === undefined && !got.unread && !got.cut && method === 'GET';
    if (whole) parts.pool.release(connection);
    else parts.pool.drop(connection);
    // Closed while idle, noticed before a byte was written: the server never saw this request.
    if (!got.sent && connection.reused && !stop.stopped) {
      delete errand.trace.phases.reused;
      continue;
    }
    const { url } = errand.request;
    const main = exchangeOf(got, {
      url,
      requestHead: head,
      content,
      connection,
      times: times(),
      beganAtMs: errand.beganAtMs(),
    });
    return { main, body: got.body };
  }
}

async function connectionFor(errand: Errand, parts: Parts): Promise<Connection> {
  const { target, allow, proxy } = errand;
  const key = `${errand.request.proxy ?? ''} ${target.origin}`;
  const idle = parts.pool.take(key, target, allow);
  if (idle && (await keepsTurn(idle, errand, parts.pool))) {
    errand.trace.phases.reused = true;
    return idle;
  }
  const { socket, ip } = await parts.dialler.dial(errand);
  // A plain request through an HTTP proxy is addressed to the proxy; the Host header names the target.
  const origin = proxy && !target.secure && proxy.kind !== 'socks5' ? 'http://proxy.invalid' : target.origin;
  return parts.pool.adopt({ socket, ip, host: target.host, key, allow }, origin);
}

/** Waits for a turn on the address of an idle connection; false if the server closed it meanwhile. */
async function keepsTurn(idle: Connection, { turnAt }: Errand, pool: Pool): Promise<boolean> {
  try {
    const wait = turnAt(idle.ip);
    if (!wait) return true;
    await wait;
  } catch (error) {
    pool.drop(idle);
    throw error;
  }
  return !idle.dead && !idle.socket.destroyed;
}

/** Headers that describe the connection are the egress's own business. */
const ownHeaders = new Set([
  'host',
  'connection',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'transfer-encoding',
  'content-length',
  'upgrade',
  'te',
  'trailer',
  'expect',
]);

const none: readonly [string, string][] = [];

/** What goes out, and the same as text without secrets meant for a proxy. */
function requestHeadOf(
  errand: Errand,
  signer: RequestSigner | undefined,
): { path: string; headers: string[]; head: string } {
  const { request, target, proxy } = errand;
  const signed = signer?.fieldsFor(target.authority);
  const connection = request.method === 'GET' ? 'keep-alive' : 'close';
  let head = `host: ${target.authority}\r\nconnection: ${connection}\r\n`;
  const headers: string[] = [];
  for (const [name, value] of request.headers) {
    const lower = name.toLowerCase();
    if (ownHeaders.has(lower) || (signed !== undefined && signatureNames.has(lower))) continue;
    headers.push(name, value);
    head += `${name}: ${value}\r\n`;
  }
  for (const [name, value] of signed ?? none) {
    headers.push(name, value);
    head += `${name}: ${value}\r\n`;
  }
  if (request.content !== undefined) head += `content-length: ${Buffer.byteLength(request.content)}\r\n`;
  const absolute = proxy !== undefined && proxy.kind !== 'socks5' && !target.secure;
  const path = absolute ? `${target.origin}${target.path}` : target.path;
  if (absolute) {
    headers.push('host', target.authority);
    const authorization = proxyAuthorization(proxy);
    if (authorization !== undefined) headers.push('proxy-authorization', authorization);
  }
  return { path, headers, head: `${request.method} ${path} HTTP/1.1\r\n${head}\r\n` };
}

interface Surroundings {
  url: Url;
  requestHead: string;
  content: FetchRequest['content'];
  connection: Connection;
  times: FetchTimes;
  beganAtMs: number;
}

function exchangeOf(
  got: Received,
  { url, requestHead, content, connection: { ip, tls }, times, beganAtMs }: Surroundings,
): Exchange {
  const truncated = truncationOf(got);
  if (!got.head || truncated === 'broken' || (truncated === 'time' && mostlyOurs(times))) {
    got.body.free();
    throw got.error;
  }
  const { status, statusText, headers } = got.head;
  const { startedAtMs, durationMs, phases, ownMs } = times;
  const body = got.body.take();
  const { unread } = got;
  const made: Exchange = {
    url,
    status,
    statusText,
    headers,
    startedAtMs,
    durationMs,
    requestHead,
    body,
    unread,
  };
  if (phases) made.phases = phases;
  if (ownMs !== undefined) made.ownMs = ownMs;
  if (got.firstByteAtMs !== undefined) made.firstByteMs = got.firstByteAtMs - beganAtMs;
  if (content !== undefined) made.requestBody = content;
  if (truncated !== undefined) made.truncated = truncated;
  if (ip !== undefined) made.ip = ip;
  if (tls !== undefined) made.tls = tls;
  return made;
}

/** How an answer whose head is complete was cut; broken is what is no answer at all. */
function truncationOf(got: Received): Exchange['truncated'] | 'broken' {
  if (got.cut) return 'length';
  if (got.error === undefined) return undefined;
  if (got.head && got.error instanceof Expired) return 'time';
  return got.head && isEarlyClose(got.error) ? 'disconnect' : 'broken';
}
