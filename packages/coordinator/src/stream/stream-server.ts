import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { maxClientFrameBytes, streamCloses } from '@webfarer/protocol/api';
import { openSockets, turnAway } from '../link/sockets.ts';
import { createEncode } from './encode.ts';
import { type StreamLimits, streamLimits } from './limits.ts';
import { openSession, type Session, type SessionOptions, type StreamUser } from './session.ts';

export interface StreamServerOptions<User extends StreamUser>
  extends Omit<SessionOptions<User>, 'encode' | 'limits' | 'closed'> {
  /** What a request brings that `authenticate` takes: a token, or the session of a browser. */
  credentials: (request: IncomingMessage) => string | undefined;
  limits?: Partial<StreamLimits>;
}

/** Where clients follow crawls: many subscriptions on one WebSocket. */
export interface StreamServer {
  /** For requests to `/v1/stream` that want to become a WebSocket and come from no other site. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  readonly sockets: number;
  stop(): Promise<void>;
}

/** Those who do not agree to a bye are cut off. */
const byePatienceMs = 500;
/** How often sockets are looked at: a revoked token is noticed within this time, and it is a third of the idle time. */
const lookMs = 2_000;

export function createStreamServer<User extends StreamUser>(
  options: StreamServerOptions<User>,
): StreamServer {
  const { clock } = options;
  const limits = { ...streamLimits, ...options.limits };
  const accepting = openSockets(maxClientFrameBytes);
  const sessions = new Set<Session>();
  const encode = createEncode();
  const ended = new AbortController();
  const allClosed = Promise.withResolvers<void>();

  async function keepBeating(): Promise<void> {
    while (!ended.signal.aborted) {
      await clock.sleep(Math.min(lookMs, limits.idleMs / 3), ended.signal).catch(() => undefined);
      for (const session of sessions) session.beat();
    }
  }
  void keepBeating();

  /** Neither those who show no token nor a token with many sockets can keep the others out. */
  function makeRoom(credentials: string | undefined): void {
    const unknown = [...sessions].filter(({ user }) => user === undefined);
    const [oldest] = unknown;
    if (oldest && unknown.length >= limits.unknownSockets) {
      sessions.delete(oldest);
      oldest.cut();
    }
    if (sessions.size < limits.sockets || credentials === undefined) return;
    const newcomer = options.authenticate(credentials);
    if (newcomer === undefined) return;
    const byUser = Map.groupBy(sessions, ({ user }) => user?.id);
    const [most = []] = [...byUser.values()].toSorted((a, b) => b.length - a.length);
    const own = byUser.get(newcomer.id)?.length ?? 0;
    const latest = most.at(-1);
    if (!latest || own + 1 >= most.length) return;
    sessions.delete(latest);
    latest.close(streamCloses.slow, 'other clients need the place');
  }

  return {
    handleUpgrade(request, socket, head) {
      if (ended.signal.aborted)
        return turnAway(socket, '503 Service Unavailable', 'the coordinator is shutting down');
      const credentials = options.credentials(request);
      makeRoom(credentials);
      if (sessions.size >= limits.sockets)
        return turnAway(
          socket,
          '503 Service Unavailable',
          `the limit of ${limits.sockets} clients is reached`,
        );
      accepting.accept(request, socket, head, (accepted) => {
        const session = openSession<User>(accepted, credentials, {
          ...options,
          encode,
          limits,
          closed() {
            sessions.delete(session);
            if (sessions.size === 0 && ended.signal.aborted) allClosed.resolve();
          },
        });
        sessions.add(session);
        return session.events;
      });
    },
    get sockets() {
      return sessions.size;
    },
    async stop() {
      ended.abort();
      if (sessions.size === 0) return;
      for (const session of sessions) session.close(streamCloses.bye, 'the coordinator is shutting down');
      const patience = new AbortController();
      clock.sleep(byePatienceMs, patience.signal).then(
        () => sessions.forEach((session) => session.cut()),
        () => undefined,
      );
      await allClosed.promise;
      patience.abort();
    },
  };
}
