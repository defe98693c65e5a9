import { type Clock, WebfarerError } from '@webfarer/protocol';
import {
  type ClientFrame,
  clientFrame,
  type ServerFrame,
  streamCloses,
  type StreamProblem,
  type StreamTopic,
} from '@webfarer/protocol/api';
import { jsonLine } from '@webfarer/protocol/crawl';
import type { Socket, SocketEvents } from '../link/sockets.ts';
import type { Encode } from './encode.ts';
import type { StreamLimits } from './limits.ts';
import { openOutlet } from './outlet.ts';
import { type PageGate, type PageGates, shareGate } from './page-gate.ts';
import type { Topics } from './topics.ts';

/** Who reads a stream, by the token. */
export interface StreamUser {
  id: string;
  team: string;
}

export interface SessionOptions<User extends StreamUser> {
  /** The coordinator. */
  id: string;
  topics: Topics;
  gates: PageGates;
  encode: Encode;
  limits: StreamLimits;
  clock: Clock;
  /** Whom a token belongs to; undefined: it is not accepted, or not any more. */
  authenticate: (authorization: string) => User | undefined;
  /** Rejects where the user may not read this. */
  authorize: (user: User, topic: StreamTopic) => Promise<void>;
  /** The only team whose documents lists show to a user; undefined: those of all teams. */
  confinedTo: (user: User) => string | undefined;
  /** A bug of ours, which the client is not told. */
  failed: (error: unknown) => void;
  closed: () => void;
}

export interface Session {
  events: SocketEvents;
  /** Whom its token belongs to; undefined: none was shown yet. */
  readonly user: StreamUser | undefined;
  /** At every heartbeat: is the token still good, does the client live? */
  beat(): void;
  close(code: number, reason: string): void;
  cut(): void;
}

interface Subscription {
  end: AbortController;
  /** Frames that may still be sent; undefined: as many as the socket takes. */
  credit: number | undefined;
  wake: () => void;
}

/** One client: reads its frames, runs its subscriptions, and never has more waiting for it than its share. */
export function openSession<User extends StreamUser>(
  socket: Socket,
  authorization: string | undefined,
  options: SessionOptions<User>,
): Session {
  const { topics, limits, clock } = options;
  const subscriptions = new Map<number, Subscription>();
  const outlet = openOutlet(socket, limits.unreadBytes);
  const ended = new AbortController();
  let newGate: (() => PageGate) | undefined;
  let given = authorization;
  let user = given === undefined ? undefined : options.authenticate(given);
  let heardAtMs = clock.now();
  let [strikes, allowance, allowedAtMs] = [0, limits.burst, clock.now()];

  function write(text: string): void {
    if (socket.open) socket.send(text, () => outlet.drained());
  }

  function send(frame: ServerFrame): void {
    write(jsonLine(frame).trimEnd());
  }

  function welcome(): void {
    const { heartbeatMs, subscriptions: maxSubscriptions } = limits;
    send({ type: 'welcome', coordinator: options.id, heartbeatMs, maxSubscriptions });
  }

  function close(code: number, reason: string): void {
    ended.abort();
    socket.close(code, reason);
  }

  function gateFor({ id }: User): PageGate {
    newGate ??= shareGate(options.gates.of(id), limits.unreadPages);
    return newGate();
  }

  /** One frame after the other, each when the socket has room and the client has asked for more. */
  async function run(
    id: number,
    on: StreamTopic,
    after: string | undefined,
    mine: Subscription,
  ): Promise<void> {
    const signal = endOf(mine, ended.signal);
    let problem: StreamProblem | undefined;
    try {
      await options.authorize(user as User, on);
      const team = options.confinedTo(user as User);
      const gate = gateFor(user as User);
      const source = topics.open(on, { after, signal, heartbeatMs: limits.heartbeatMs, team, gate });
      try {
        while (!signal.aborted) {
          await outlet.room(signal);
          await creditOf(mine, signal);
          const { value: frame, done } = await source.next();
          if (done === true || signal.aborted) break;
          await outlet.turn(signal, () => write(options.encode(frame, id)));
          gate.dropped();
          if (mine.credit !== undefined) mine.credit--;
        }
      } finally {
        await source.return();
        gate.dropped();
      }
    } catch (error) {
      problem = problemIn(error);
      if (problem.code === 'internal' && !signal.aborted) options.failed(error);
    }
    if (subscriptions.get(id) === mine) subscriptions.delete(id);
    if (!ended.signal.aborted)
      send({ type: 'closed', id, ...(problem && !signal.aborted ? { problem } : {}) });
  }

  function subscribe({ id, on, after, window }: Extract<ClientFrame, { type: 'subscribe' }>): void {
    if (subscriptions.has(id)) throw misused(`subscription ${id} is open already`);
    if (subscriptions.size >= limits.subscriptions)
      throw new WebfarerError('frame-limit', `a socket has at most ${limits.subscriptions} subscriptions`, {
        next: 'Close some of them, or open another socket.',
      });
    const mine = { end: new AbortController(), credit: window, wake: () => undefined };
    subscriptions.set(id, mine);
    void run(id, on, after, mine);
  }

  function take(frame: ClientFrame): void {
    if (frame.type === 'hello') {
      if (user !== undefined) throw misused('the token was given already');
      given = `Bearer ${frame.token}`;
      user = options.authenticate(given);
      if (user === undefined) return close(streamCloses.refused, 'the token is not accepted');
      return welcome();
    }
    if (user === undefined) return close(streamCloses.refused, 'the first frame must hold the token');
    if (frame.type === 'subscribe') return subscribe(frame);
    const subscription = subscriptions.get(frame.id);
    // It may have ended while the frame was on its way.
    if (!subscription) return;
    if (frame.type === 'unsubscribe') return subscription.end.abort();
    if (subscription.credit === undefined) return;
    subscription.credit = Math.min(subscription.credit + frame.frames, mostCredit);
    subscription.wake();
  }

  function isTooOften(): boolean {
    const nowMs = clock.now();
    allowance = Math.min(limits.burst, allowance + ((nowMs - allowedAtMs) * limits.framesPerSecond) / 1_000);
    allowedAtMs = nowMs;
    return --allowance < 0;
  }

  function message(text: string | undefined): void {
    if (ended.signal.aborted) return;
    if (isTooOften()) return close(streamCloses.misused, 'too many frames');
    try {
      take(readFrame(text));
    } catch (error) {
      send({ type: 'problem', problem: problemIn(error) });
      if (++strikes > limits.strikes) close(streamCloses.misused, 'too many frames that were not accepted');
    }
  }

  if (user !== undefined) welcome();
  else if (given !== undefined) close(streamCloses.refused, 'the token is not accepted');
  else
    clock.sleep(limits.helloMs, ended.signal).then(
      () => user === undefined && close(streamCloses.refused, 'no token came'),
      () => undefined,
    );

  return {
    close,
    get user() {
      return user;
    },
    cut: () => socket.terminate(),
    beat() {
      if (clock.now() - heardAtMs > limits.idleMs) return socket.terminate();
      if (user !== undefined && given !== undefined && !options.authenticate(given))
        return close(streamCloses.refused, 'the token was revoked');
      socket.ping();
    },
    events: {
      message,
      alive: () => void (heardAtMs = clock.now()),
      closed() {
        ended.abort();
        options.closed();
      },
    },
  };
}

/** More is never used: a subscription has one frame at a time. */
const mostCredit = 64;

/** Aborted when the subscription or its connection ends. One listener wakes it, however often it waits. */
function endOf(mine: Subscription, connection: AbortSignal): AbortSignal {
  const signal = AbortSignal.any([connection, mine.end.signal]);
  signal.addEventListener('abort', () => mine.wake(), { once: true });
  return signal;
}

async function creditOf(mine: Subscription, signal: AbortSignal): Promise<void> {
  while (mine.credit !== undefined && mine.credit <= 0) {
    signal.throwIfAborted();
    await new Promise<void>((resolve) => {
      mine.wake = resolve;
    });
  }
}

function readFrame(text: string | undefined): ClientFrame {
  if (text === undefined) throw misused('frames are text');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw misused('the frame is not JSON');
  }
  const { data, error } = clientFrame.safeParse(value);
  if (data) return data;
  const [issue] = error.issues;
  throw misused(`${issue?.path.join('.') || 'the frame'}: ${issue?.message}`.slice(0, 300));
}

function misused(why: string): WebfarerError {
  return new WebfarerError('frame-invalid', why);
}

function problemIn(error: unknown): StreamProblem {
  if (!(error instanceof WebfarerError) || error.code === 'internal')
    return { code: 'internal', message: 'internal error of the coordinator' };
  const { code, message, next } = error;
  return { code, message, ...(next === undefined ? {} : { next }) };
}
