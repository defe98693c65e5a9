import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '@webfarer/protocol';
import { maxViewerFrameBytes, viewerFrame, type ViewerInput, type ViewFrame } from '@webfarer/protocol/api';
import { openSockets, type Socket, type SocketEvents, turnAway } from '../link/sockets.ts';
import type { LiveLogin } from './live-login.ts';

/** The WebSocket of a live login: pictures out, input in. One viewer at a time. */
export interface LiveView {
  /** For requests that come from no other site. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Viewers are told before their connection ends. */
  stop(): Promise<void>;
}

export interface LiveViewOptions {
  /** Those that go on. */
  logins: () => readonly LiveLogin[];
  clock: Clock;
}

const closes = { bye: 1000, malformed: 4400, refused: 4401, elsewhere: 4409, flood: 4429 } as const;
/** For the ticket. */
const HELLO_MS = 10_000;
/** Of a viewer that shows no sign of life. */
const IDLE_MS = 60_000;
const LOOK_MS = 15_000;
/** For a viewer to agree that it is over. */
const BYE_MS = 1_000;
const MOST_SOCKETS = 50;
/** Input that waits for the page. What arrives in one piece cannot be told to wait; a person never sends so much. */
const MOST_INPUT = 2_000;
const PAUSE_INPUT = 20;

export function createLiveView({ logins, clock }: LiveViewOptions): LiveView {
  const accepting = openSockets(maxViewerFrameBytes);
  const sockets = new Set<Socket>();
  const byes = new Map<Socket, () => void>();
  const viewers = new WeakMap<LiveLogin, () => void>();
  const ended = new AbortController();
  let lastClosed: (() => void) | undefined;

  async function allClosed(): Promise<void> {
    if (sockets.size > 0) await new Promise<void>((resolve) => (lastClosed = resolve));
  }

  function admitted(ticket: string): LiveLogin | undefined {
    return logins().find((login) => login.admits(ticket));
  }

  /** From now on this viewer sees it, and no other. */
  function take(login: LiveLogin, leave: () => void): void {
    viewers.get(login)?.();
    viewers.set(login, leave);
  }

  function open(socket: Socket): SocketEvents {
    sockets.add(socket);
    let aliveAtMs = clock.now();
    let viewer: Viewer | undefined;
    const gone = new AbortController();
    const signal = AbortSignal.any([gone.signal, ended.signal]);

    async function watch(): Promise<void> {
      await clock.sleep(HELLO_MS, signal);
      if (!viewer) return socket.terminate();
      for (;;) {
        await clock.sleep(LOOK_MS, signal);
        if (clock.now() - aliveAtMs > IDLE_MS) return socket.terminate();
        socket.ping();
      }
    }
    watch().catch(() => undefined);

    return {
      alive: () => void (aliveAtMs = clock.now()),
      message(text) {
        const frame = viewerFrame.safeParse(parsed(text));
        // What was sent may hold a password: nothing of it is repeated.
        if (!frame.success) return socket.close(closes.malformed, 'a frame that is not understood');
        const { data } = frame;
        if (viewer) return data.type === 'hello' ? undefined : viewer.take(data);
        const login = data.type === 'hello' ? admitted(data.ticket) : undefined;
        if (!login) return socket.close(closes.refused, 'this address was used before, or is over');
        viewer = openViewer(login, socket, clock);
        byes.set(socket, viewer.bye);
        take(login, viewer.leave);
      },
      closed() {
        sockets.delete(socket);
        byes.delete(socket);
        if (sockets.size === 0) lastClosed?.();
        gone.abort();
        viewer?.closed();
      },
    };
  }

  return {
    handleUpgrade(request, socket, head) {
      if (ended.signal.aborted || sockets.size >= MOST_SOCKETS)
        return turnAway(socket, '503 Service Unavailable', 'no more views can be opened now');
      accepting.accept(request, socket, head, open);
    },
    async stop() {
      ended.abort();
      for (const bye of byes.values()) bye();
      const patience = new AbortController();
      await Promise.race([allClosed(), clock.sleep(BYE_MS, patience.signal)]);
      patience.abort();
      for (const socket of sockets) socket.terminate();
    },
  };
}

interface Viewer {
  take(frame: ViewerInput | { type: 'shown' } | { type: 'done' } | { type: 'cancel' }): void;
  /** Another viewer takes its place. */
  leave(): void;
  /** It is over: says how it ended. */
  bye(): void;
  closed(): void;
}

function openViewer(login: LiveLogin, socket: Socket, clock: Clock): Viewer {
  const { browser, wish } = login;
  const send = (frame: ViewFrame) => socket.open && socket.send(JSON.stringify(frame), () => undefined);
  let drawn: (() => void) | undefined;
  const waiting: (ViewerInput | { type: 'done' })[] = [];
  let isTaking = false;

  send({
    type: 'welcome',
    ticket: login.newTicket(),
    site: wish.site,
    as: wish.as,
    leftMs: Math.max(0, login.endsAtMs - clock.now()),
  });
  const hide = browser.show({
    picture(picture) {
      send({ type: 'picture', ...picture });
      return new Promise((resolve) => (drawn = resolve));
    },
    page: (page) => send({ type: 'page', ...page }),
    note: (text) => send({ type: 'note', text }),
  });
  void login.ended.then(bye);

  function bye(): void {
    if (login.end) send({ type: 'ended', ...login.end });
    socket.close(closes.bye, 'the view is closed');
  }

  function closed(): void {
    hide();
    drawn?.();
    waiting.length = 0;
  }

  async function keep(): Promise<void> {
    const missing = await login.done().catch((error: unknown) => (error as Error).message);
    if (missing !== undefined) send({ type: 'note', text: missing });
  }

  async function takeAll(): Promise<void> {
    if (isTaking) return;
    isTaking = true;
    try {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        if (next.type === 'done') await keep();
        else await browser.input(next);
        if (waiting.length < PAUSE_INPUT) socket.resume();
      }
    } finally {
      isTaking = false;
    }
  }

  return {
    take(frame) {
      if (frame.type === 'shown') return drawn?.();
      if (frame.type === 'cancel') return void login.cancel();
      if (waiting.length >= MOST_INPUT) return socket.close(closes.flood, 'too much input');
      const last = waiting.at(-1);
      if (last && isMove(last) && isMove(frame)) waiting.pop();
      waiting.push(frame);
      if (waiting.length >= PAUSE_INPUT) socket.pause();
      void takeAll();
    },
    leave() {
      send({ type: 'ended', how: 'elsewhere', text: 'The view was opened elsewhere.' });
      closed();
      socket.close(closes.elsewhere, 'opened elsewhere');
    },
    bye,
    closed,
  };
}

function isMove(frame: { type: string; action?: string }): boolean {
  return frame.type === 'mouse' && frame.action === 'move';
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
