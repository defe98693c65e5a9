import type { Clock } from '../base/clock.ts';
import { WebfarerError } from '../base/errors.ts';
import {
  type ClientFrameInput,
  serverFrame,
  type ServerFrame,
  streamCloses,
  streamPath,
  type StreamTopicInput,
  type TopicFrame,
} from './stream.ts';

/** As much of a WebSocket as is needed; the one of browsers and of Node fits. */
export interface StreamSocket {
  send(text: string): void;
  close(): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
  onerror: (() => void) | null;
}

export interface StreamClientOptions {
  /** Of coordinators of one store, `http://` or `https://`: the next one is tried where one does not answer. */
  urls: readonly string[];
  /** Undefined: the request itself says who asks, as a browser's does with the cookie of a session. */
  token: string | undefined;
  connect: (url: string) => StreamSocket;
  clock: Clock;
  /** Between 0 and 1. */
  random: () => number;
  /** What happens to the connection, for a person to see; may do nothing. */
  noticed: (what: StreamNotice) => void;
}

export type StreamNotice =
  | { kind: 'connected'; url: string; coordinator: string }
  /** `isRefused`: the token or session is not accepted any more, and no further attempt is made. */
  | { kind: 'lost'; url: string; reason: string; isRefused: boolean };

export interface Subscribing {
  on: StreamTopicInput;
  /** The token that was kept with what was handled before. */
  after: string | undefined;
  /**
   * Called with one frame after the other; the next one waits until it resolves. Keep what the frame brought and its token
   * together: whoever begins again behind that token misses nothing and gets nothing twice.
   */
  handle: (frame: TopicFrame) => void | Promise<void>;
  /** The subscription has ended and is not made again: the coordinator refused it. */
  ended: (error: WebfarerError) => void;
}

export interface StreamClient {
  subscribe(subscribing: Subscribing): { close(): void };
  close(): void;
}

/** Between two attempts to connect. */
const patience = { firstMs: 100, mostMs: 5_000 };
/** Heartbeats that may stay away before a connection is given up. */
const missedBeats = 3;
/** Until a coordinator has said welcome. */
const welcomeMs = 10_000;
/** Frames of a subscription on their way. */
const frameWindow = 8;

interface Kept extends Subscribing {
  token: string | undefined;
  /** Connections on which it was made: what is left of an earlier one is not handled. */
  generation: number;
  queue: TopicFrame[];
  busy: boolean;
}

/** One connection that is made again whenever it is lost, and with it every subscription, behind its last token. */
export function openStreamClient(options: StreamClientOptions): StreamClient {
  const { urls, clock, random, noticed } = options;
  const kept = new Map<number, Kept>();
  const closed = new AbortController();
  let [nextId, generation, turn] = [1, 0, 0];
  let socket: StreamSocket | undefined;
  let welcomed = false;

  function send(frame: ClientFrameInput): void {
    if (welcomed) socket?.send(JSON.stringify(frame));
  }

  function make(id: number, one: Kept): void {
    one.generation = generation;
    const after = one.token === undefined ? {} : { after: one.token };
    send({ type: 'subscribe', id, on: one.on, window: frameWindow, ...after });
  }

  /** One frame at a time. The token moves once the frame was handled, never before. */
  async function work(id: number, one: Kept): Promise<void> {
    if (one.busy) return;
    one.busy = true;
    try {
      for (let frame = one.queue.shift(); frame && kept.get(id) === one; frame = one.queue.shift()) {
        await one.handle(frame);
        one.token = frame.token;
        if (one.generation === generation) send({ type: 'ack', id, frames: 1 });
      }
    } catch (error) {
      if (kept.delete(id)) send({ type: 'unsubscribe', id });
      one.ended(
        new WebfarerError('internal', `a frame could not be handled: ${String(error)}`, { cause: error }),
      );
    }
    one.busy = false;
    // Connected anew meanwhile: only now is it known behind which frame to continue.
    if (welcomed && one.generation !== generation && kept.get(id) === one) make(id, one);
  }

  function take(frame: ServerFrame, url: string): void {
    if (frame.type === 'welcome') {
      welcomed = true;
      noticed({ kind: 'connected', url, coordinator: frame.coordinator });
      for (const [id, one] of kept) {
        // Those of the lost connection come again.
        one.queue = [];
        if (!one.busy) make(id, one);
      }
      return;
    }
    if (frame.type === 'problem') return;
    const one = kept.get(frame.id);
    if (!one || one.generation !== generation) return;
    if (frame.type !== 'closed') {
      one.queue.push(frame);
      void work(frame.id, one);
      return;
    }
    kept.delete(frame.id);
    const { code = 'not-found', message = 'the subscription has ended', next } = frame.problem ?? {};
    one.ended(new WebfarerError(code, message, next === undefined ? {} : { next }));
  }

  /** Resolves when the connection is gone; answers whether it had come about, and what was said at the end. */
  async function connection(url: string): Promise<{ wasUp: boolean; code: number; reason: string }> {
    const gone = Promise.withResolvers<{ code: number; reason: string }>();
    const silence = watchSilence(clock, () => gone.resolve({ code: 1006, reason: 'no sign of life' }));
    const stop = () => gone.resolve({ code: 1000, reason: 'closed' });
    closed.signal.addEventListener('abort', stop, { once: true });
    let wasUp = false;
    try {
      const mine = options.connect(url.replace(/^http/, 'ws').replace(/\/+$/, '') + streamPath);
      generation++;
      socket = mine;
      mine.onopen = () => {
        if (options.token !== undefined) mine.send(JSON.stringify({ type: 'hello', token: options.token }));
      };
      mine.onerror = () => undefined;
      mine.onclose = ({ code, reason }) => gone.resolve({ code, reason });
      mine.onmessage = ({ data }) => {
        const frame = readFrame(data);
        if (!frame || socket !== mine) return;
        if (frame.type === 'welcome') {
          wasUp = true;
          silence.allow(frame.heartbeatMs * missedBeats);
        }
        silence.heard();
        take(frame, url);
      };
      const { code, reason } = await gone.promise;
      mine.onclose = null;
      mine.onmessage = null;
      mine.close();
      return { wasUp, code, reason };
    } catch (error) {
      return { wasUp, code: 1006, reason: (error as Error).message };
    } finally {
      welcomed = false;
      socket = undefined;
      silence.end();
      closed.signal.removeEventListener('abort', stop);
    }
  }

  function endAll(error: WebfarerError): void {
    closed.abort();
    const all = [...kept.values()];
    kept.clear();
    for (const { ended } of all) ended(error);
  }

  async function stayConnected(): Promise<void> {
    for (let waitMs = patience.firstMs; !closed.signal.aborted; turn++) {
      const url = urls[turn % urls.length] as string;
      const { wasUp, code, reason } = await connection(url);
      if (closed.signal.aborted) return;
      const isRefused = code === streamCloses.refused;
      noticed({ kind: 'lost', url, reason: reason || `closed (${code})`, isRefused });
      if (isRefused) return endAll(new WebfarerError('link-refused', reason || 'the token is not accepted'));
      waitMs = wasUp ? patience.firstMs : Math.min(waitMs * 2, patience.mostMs);
      await clock.sleep(waitMs * (0.5 + random()), closed.signal).catch(() => undefined);
    }
  }
  void stayConnected();

  return {
    subscribe(subscribing) {
      const id = nextId++;
      const one: Kept = { ...subscribing, token: subscribing.after, generation: 0, queue: [], busy: false };
      kept.set(id, one);
      if (welcomed) make(id, one);
      return {
        close() {
          if (kept.delete(id)) send({ type: 'unsubscribe', id });
        },
      };
    },
    close() {
      kept.clear();
      closed.abort();
    },
  };
}

function readFrame(data: unknown): ServerFrame | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    return serverFrame.safeParse(JSON.parse(data)).data;
  } catch {
    return undefined;
  }
}

/** Calls `silent` once nothing was heard for as long as is allowed. */
function watchSilence(
  clock: Clock,
  silent: () => void,
): { heard(): void; allow(ms: number): void; end(): void } {
  const ended = new AbortController();
  let heardAtMs = clock.now();
  let allowedMs = welcomeMs;
  void (async () => {
    while (!ended.signal.aborted) {
      const leftMs = heardAtMs + allowedMs - clock.now();
      if (leftMs <= 0) return silent();
      await clock.sleep(Math.min(leftMs, 1_000), ended.signal).catch(() => undefined);
    }
  })();
  return {
    heard: () => void (heardAtMs = clock.now()),
    allow: (ms) => void (allowedMs = ms),
    end: () => ended.abort(),
  };
}
