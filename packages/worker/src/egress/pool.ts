import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { Client } from 'undici';
import { parseAddress } from './address.ts';
import type { AllowList } from './allow-list.ts';
import { FetchFault } from './failures.ts';
import type { Target } from './target.ts';

/** One socket with the HTTP parser on it. It is never replaced by another socket behind our back. */
export interface Connection {
  readonly client: Client;
  readonly socket: Socket;
  readonly ip: string | undefined;
  /** Version of the protocol under https. */
  readonly tls: string | undefined;
  readonly host: string;
  readonly key: string;
  /** The list that permitted its address. */
  readonly allow: AllowList;
  /** It has carried a request before, so the server may close it at any moment. */
  reused: boolean;
  dead: boolean;
  /** Called whenever bytes have arrived, while a request is under way. */
  watch: (() => void) | undefined;
}

export interface Pool {
  /** An idle connection, if there is one that this request's allow-list permits too. */
  take(key: string, target: Target, allow: AllowList): Connection | undefined;
  adopt(
    connection: Omit<Connection, 'client' | 'tls' | 'reused' | 'dead' | 'watch'>,
    origin: string,
  ): Connection;
  /** Back to the idle ones, unless it is dead or its host was given up meanwhile. */
  release(connection: Connection): void;
  drop(connection: Connection): void;
  forget(host: string): void;
  close(): Promise<void>;
}

export interface PoolOptions {
  maxIdle: number;
  maxHeaderBytes: number;
  keepAliveMs: number;
}

export function createPool(options: PoolOptions): Pool {
  const idle = new Map<string, Connection[]>();
  const byHost = new Map<string, Set<Connection>>();
  /** Idle connections, oldest first. */
  const order = new Set<Connection>();

  function drop(connection: Connection): void {
    connection.dead = true;
    removeIdle(connection);
    const ofHost = byHost.get(connection.host);
    ofHost?.delete(connection);
    if (ofHost?.size === 0) byHost.delete(connection.host);
    connection.client.destroy().catch(() => {});
    connection.socket.destroy();
  }

  function removeIdle(connection: Connection): void {
    if (!order.delete(connection)) return;
    const rest = (idle.get(connection.key) ?? []).filter((other) => other !== connection);
    if (rest.length > 0) idle.set(connection.key, rest);
    else idle.delete(connection.key);
  }

  return {
    take(key, target, allow) {
      const found = idle.get(key)?.findLast((connection) => stillPermitted(connection, target, allow));
      if (found) removeIdle(found);
      return found;
    },
    adopt(parts, origin) {
      let handedOut = false;
      const client = new Client(origin, {
        // In a microtask: undici is not ready for an answer within the call.
        connect: (_options, callback) => {
          const first = !handedOut;
          handedOut = true;
          queueMicrotask(() => (first ? callback(null, parts.socket) : callback(closedUnseen(), null)));
        },
        allowH2: false,
        pipelining: 1,
        // Its own limit makes an error of every header beyond it, thousands at a time. The exchange looks first.
        maxHeaderSize: options.maxHeaderBytes * 4,
        keepAliveTimeout: options.keepAliveMs,
        // The deadline of the whole request stands above these.
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      const connection: Connection = {
        ...parts,
        tls: tlsVersion(parts.socket),
        client,
        reused: false,
        dead: false,
        watch: undefined,
      };
      // Once for the connection: a listener for each request would cost more than the request's bookkeeping.
      client.once('connect', () => parts.socket.on('readable', () => connection.watch?.()));
      client.on('disconnect', () => queueMicrotask(() => drop(connection)));
      const ofHost = byHost.get(parts.host) ?? new Set();
      byHost.set(parts.host, ofHost.add(connection));
      return connection;
    },
    release(connection) {
      if (connection.dead || connection.socket.destroyed || !byHost.get(connection.host)?.has(connection))
        return drop(connection);
      connection.reused = true;
      idle.set(connection.key, [...(idle.get(connection.key) ?? []), connection]);
      order.add(connection);
      if (order.size > options.maxIdle) drop(order.values().next().value as Connection);
    },
    drop,
    forget(host) {
      for (const connection of byHost.get(host) ?? []) {
        if (order.has(connection)) drop(connection);
        else byHost.get(host)?.delete(connection);
      }
      if (byHost.get(host)?.size === 0) byHost.delete(host);
    },
    async close() {
      const all = [...byHost.values()].flatMap((connections) => [...connections]);
      for (const connection of all) drop(connection);
      await Promise.all(all.map((connection) => connection.client.destroy().catch(() => {})));
    },
  };
}

function closedUnseen(): FetchFault {
  return new FetchFault('connection-reset', 'closed before the request was sent');
}

function tlsVersion(socket: Socket): string | undefined {
  return socket instanceof TLSSocket ? (socket.getProtocol() ?? undefined) : undefined;
}

/** A socket opened under one allow-list must not serve a request whose own list forbids its address. */
function stillPermitted(connection: Connection, target: Target, allow: AllowList): boolean {
  if (connection.dead || connection.socket.destroyed) return false;
  if (connection.ip === undefined || connection.allow === allow) return true;
  const address = parseAddress(connection.ip);
  return address !== undefined && allow.permits(target, address);
}
