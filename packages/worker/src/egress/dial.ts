import { connect as connectSocket, type Socket } from 'node:net';
import { connect as startTls, createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import type { Clock } from '@webfarer/protocol';
import { parseAddress, sameAddress } from './address.ts';
import { type AllowList, permitsUnresolved } from './allow-list.ts';
import type { DnsCache, Family } from './dns-cache.ts';
import { openSocks5, openTunnel, type Proxy } from './proxy.ts';
import { connectFault, FetchFault, tlsFault } from './failures.ts';
import { over, type Stop, unlessStopped } from './stop.ts';
import type { Phases } from '../fetch/fetch.ts';
import type { Target } from './target.ts';

export interface DialRequest {
  target: Target;
  allow: AllowList;
  proxy: Proxy | undefined;
  stop: Stop;
  trace: Trace;
  /** Takes a turn on the address and gives back one on another; a promise when it has to wait. */
  turnAt: (ip: string | undefined) => Promise<void> | undefined;
  /** Throws when it is too late for a first packet. */
  inTime: () => void;
}

/** How far a request came, for what its end means. */
export interface Trace {
  /** A packet may have left for the host. */
  contacted: boolean;
  phase: 'names' | 'connecting' | 'talking';
  /** What took its time so far; several addresses of a host add up. */
  phases: Phases;
}

type Timed = 'dnsMs' | 'connectMs' | 'tlsMs';

export interface Dialled {
  socket: Socket;
  /** The checked address of the host; absent behind a proxy, which alone knows it. */
  ip: string | undefined;
}

export interface DialOptions {
  clock: Clock;
  dns: DnsCache;
  /** PEM certificates to trust beside the usual ones. */
  ca: string | undefined;
  connectTimeoutMs: number;
}

export interface Dialler {
  /** A connection ready for HTTP to a checked address. Rejects with a FetchFault or the stop's reason. */
  dial(request: DialRequest): Promise<Dialled>;
}

// Trying every address of a farm would keep a dead host busy for long.
const maxAttempts = 4;
const maxSessions = 1000;

export function createDialler(options: DialOptions): Dialler {
  const { clock, dns, connectTimeoutMs } = options;
  const sessions = new Map<string, Buffer>();
  let context: SecureContext | undefined;

  async function dial(request: DialRequest): Promise<Dialled> {
    const { proxy, target } = request;
    if (proxy) return { socket: await dialThrough(proxy, request), ip: undefined };
    const { socket, ip } = await dialDirect(request);
    return { socket: target.secure ? await secureFor(request, socket) : socket, ip };
  }

  /** Also of what fails: a time-out is the whole story of a request. */
  async function timed<T>({ phases }: Trace, phase: Timed, work: Promise<T>): Promise<T> {
    const startedAtMs = clock.now();
    try {
      return await work;
    } finally {
      phases[phase] = (phases[phase] ?? 0) + clock.now() - startedAtMs;
    }
  }

  function secureFor({ target, stop, trace }: DialRequest, socket: Socket): Promise<Socket> {
    return timed(trace, 'tlsMs', secure(socket, target.host, target.port, stop));
  }

  /** IPv6 addresses are asked for only where there is no IPv4 address or no way to it. */
  async function dialDirect(request: DialRequest): Promise<{ socket: Socket; ip: string }> {
    const v4 = await checkedAddresses(request, 4);
    try {
      if (v4.length > 0) return await dialFirst(v4, request);
    } catch (error) {
      if (!(error instanceof FetchFault) || error.reason !== 'unreachable') throw error;
      const v6 = await checkedAddresses(request, 6).catch(() => []);
      if (v6.length === 0) throw error;
      return await dialFirst(v6, request).catch((second: unknown) => {
        // The host has both kinds of addresses: a machine without IPv6 is not what keeps it from being reached.
        throw second instanceof FetchFault && second.reason === 'no-ipv6' ? error : second;
      });
    }
    return dialFirst(await checkedAddresses(request, 6), request);
  }

  /** Every address of the family, all of them permitted. None of IPv4 is an empty list, not an error. */
  async function checkedAddresses(request: DialRequest, family: Family): Promise<string[]> {
    const { target, allow, stop, trace } = request;
    trace.phase = 'names';
    const lookup = await timed(trace, 'dnsMs', unlessStopped(stop, dns.lookup(target.host, family)));
    if (!lookup.ok) {
      if (lookup.reason === 'no-address' && family === 4) return [];
      throw new FetchFault(lookup.reason === 'failed' ? 'dns-failed' : 'dns-not-found', lookup.detail);
    }
    for (const ip of lookup.addresses) assertPermitted(ip, target, allow);
    return lookup.addresses;
  }

  async function dialFirst(ips: string[], request: DialRequest): Promise<{ socket: Socket; ip: string }> {
    let last: unknown;
    const attempts = ips.slice(0, maxAttempts);
    for (const ip of attempts) {
      await request.turnAt(ip);
      request.inTime();
      try {
        request.trace.contacted = true;
        request.trace.phase = 'connecting';
        const timeoutMs = Math.max(connectTimeoutMs / attempts.length, Math.min(connectTimeoutMs, 2_000));
        const connecting = connectTcp({ ip, port: request.target.port, timeoutMs, stop: request.stop });
        const socket = await timed(request.trace, 'connectMs', connecting);
        return { socket, ip };
      } catch (error) {
        if (request.stop.stopped || (error instanceof FetchFault && error.reason === 'private-address'))
          throw error;
        last = error;
      }
    }
    throw last;
  }

  async function dialThrough(proxy: Proxy, request: DialRequest): Promise<Socket> {
    const { target, allow, trace } = request;
    if (!permitsUnresolved(allow, target)) throw notPublic(target.host);
    trace.phase = 'connecting';
    const socket = await timed(trace, 'connectMs', openThrough(proxy, request));
    return target.secure ? secureFor(request, socket) : socket;
  }

  /** A connection to the host by way of the proxy. */
  async function openThrough(proxy: Proxy, request: DialRequest): Promise<Socket> {
    const { target, stop, trace } = request;
    // The operator chose the proxy's address, so the guard does not judge it.
    const ip = await addressOfProxy(dns, proxy.host, stop);
    if (ip === undefined) throw new FetchFault('proxy-failed', `the proxy ${proxy.host} has no address`);
    request.inTime();
    let socket = await toProxy(
      proxy,
      connectTcp({ ip, port: proxy.port, timeoutMs: connectTimeoutMs, stop }),
    );
    if (proxy.kind === 'https') socket = await toProxy(proxy, secure(socket, proxy.host, proxy.port, stop));
    trace.contacted = true;
    if (proxy.kind === 'socks5') await shakeHands(socket, openSocks5(socket, proxy, target), stop);
    else if (target.secure) await shakeHands(socket, openTunnel(socket, proxy, target), stop);
    return socket;
  }

  function connectTcp(to: { ip: string; port: number; timeoutMs: number; stop: Stop }): Promise<Socket> {
    const { ip, port, timeoutMs, stop } = to;
    return new Promise((resolve, reject) => {
      const socket = connectSocket({
        host: ip,
        port,
        noDelay: true,
        keepAlive: true,
        keepAliveInitialDelay: 60_000,
      });
      const timer = new AbortController();
      const end = (error?: unknown): void => {
        timer.abort(over);
        stop.clear();
        socket.off('error', onError).off('connect', onConnect).on('error', ignore);
        if (error === undefined) return resolve(socket);
        socket.destroy();
        reject(error as Error);
      };
      const onError = (error: Error): void => end(connectFault(error, ip));
      const onConnect = (): void => {
        const there = socket.remoteAddress;
        end(sameAddress(there, ip) ? undefined : elsewhere());
      };
      socket.on('error', onError).on('connect', onConnect);
      const late = (): void =>
        end(new FetchFault('connect-timeout', `no connection to ${ip} within ${timeoutMs} ms`));
      clock.sleep(timeoutMs, timer.signal).then(late, ignore);
      stop.onStop(end);
    });
  }

  async function shakeHands(socket: Socket, handshake: Promise<void>, stop: Stop): Promise<void> {
    const timer = new AbortController();
    const late = clock.sleep(connectTimeoutMs, timer.signal).then(() => {
      throw new FetchFault('connect-timeout', `the proxy did not connect within ${connectTimeoutMs} ms`);
    });
    try {
      await unlessStopped(stop, Promise.race([handshake, late]));
    } catch (error) {
      socket.destroy();
      throw error instanceof FetchFault || stop.stopped ? error : connectFault(error);
    } finally {
      timer.abort(over);
      late.catch(ignore);
    }
  }

  function secure(under: Socket, host: string, port: number, stop: Stop): Promise<Socket> {
    context ??= createSecureContext(
      options.ca === undefined ? {} : { ca: [...getCACertificates('default'), options.ca] },
    );
    const key = `${host} ${port}`;
    const session = sessions.get(key);
    const isName = parseAddress(host) === undefined;
    return new Promise((resolve, reject) => {
      const socket = startTls({
        socket: under,
        host,
        secureContext: context as SecureContext,
        ALPNProtocols: ['http/1.1'],
        // A trailing dot is no part of the name a server knows itself by.
        ...(isName ? { servername: host.replace(/\.$/, '') } : {}),
        ...(session ? { session } : {}),
      });
      const timer = new AbortController();
      const end = (error?: unknown): void => {
        timer.abort(over);
        stop.clear();
        socket.off('error', onError).off('secureConnect', onSecure).on('error', ignore);
        if (error === undefined) return resolve(socket);
        sessions.delete(key);
        socket.destroy();
        under.destroy();
        reject(error as Error);
      };
      const onError = (error: Error): void => end(tlsFault(error));
      const onSecure = (): void => end();
      socket.on('error', onError).on('secureConnect', onSecure);
      socket.on('session', (ticket: Buffer) => keepSession(key, ticket));
      const late = (): void =>
        end(new FetchFault('connect-timeout', `no secure connection within ${connectTimeoutMs} ms`));
      clock.sleep(connectTimeoutMs, timer.signal).then(late, ignore);
      stop.onStop(end);
    });
  }

  function keepSession(key: string, ticket: Buffer): void {
    sessions.delete(key);
    sessions.set(key, ticket);
    if (sessions.size > maxSessions) sessions.delete(sessions.keys().next().value as string);
  }

  return { dial };
}

const ignore = (): void => {};

/** Which address that is remains untold: teams read this, and names of the network are none of their business. */
function notPublic(host: string): FetchFault {
  const what = parseAddress(host) ? host : `${host} has an address that`;
  return new FetchFault('private-address', `${what} is not globally reachable`);
}

const elsewhere = (): FetchFault =>
  new FetchFault('private-address', 'the connection ended at another address than the one that was checked');

function assertPermitted(ip: string, target: Target, allow: AllowList): void {
  const address = parseAddress(ip);
  if (address && allow.permits(target, address)) return;
  throw notPublic(target.host);
}

/** A fault on the way to the proxy says nothing about the host behind it. */
async function toProxy(proxy: Proxy, socket: Promise<Socket>): Promise<Socket> {
  return await socket.catch((error: unknown) => {
    if (!(error instanceof FetchFault)) throw error;
    throw new FetchFault('proxy-failed', `the proxy ${proxy.host}:${proxy.port}: ${error.message}`);
  });
}

async function addressOfProxy(dns: DnsCache, host: string, stop: Stop): Promise<string | undefined> {
  if (parseAddress(host) !== undefined) return host;
  for (const family of [4, 6] as const) {
    const found = await unlessStopped(stop, dns.lookup(host, family));
    if (found.ok && found.addresses[0] !== undefined) return found.addresses[0];
  }
  return undefined;
}
