import { type Clock, WebfarerError } from '@webfarer/protocol';
import { type CoordinatorFrame, linkCloses, requestIdIn, type WorkerFrame } from '@webfarer/protocol/link';
import type { LinkLimits } from './link-limits.ts';
import type { Socket, SocketEvents } from './sockets.ts';

/** Heartbeats without a sign of life after which the other side is gone. */
const MISSED_BEATS = 3;

export interface ConnectionOptions {
  clock: Clock;
  limits: LinkLimits;
  /** Makes a frame of a text, or throws. */
  read: (text: string) => WorkerFrame;
  /** What it throws is answered as an error; until it resolves the frame counts as being worked on. */
  handle(frame: WorkerFrame): Promise<void>;
  closed(reason: string): void;
}

/** One socket with its bounds: frames come in checked and in order, and no faster than they can be dealt with. */
export interface Connection {
  /** False: it is closed, nothing was sent. */
  send(frame: CoordinatorFrame): boolean;
  close(code: number, reason: string): void;
  /** At once, without a word. */
  cut(): void;
  /** Once every heartbeat: asks for a sign of life, and ends what has given none or reads nothing. */
  beat(): void;
  readonly open: boolean;
}

interface Waiting {
  text: string | undefined;
  bytes: number;
}

export function openConnection(
  socket: Socket,
  { clock, limits, read, handle, closed }: ConnectionOptions,
): { connection: Connection; events: SocketEvents } {
  const ended = new AbortController();
  const queue: Waiting[] = [];
  let inFlight = 0;
  let inFlightBytes = 0;
  let strikes = 0;
  let missed = 0;
  let paused = false;
  let resting = false;
  let unreadBeats = 0;
  let allowance = limits.burst;
  let countedAtMs = clock.now();

  function mayBegin(): boolean {
    if (inFlight >= limits.inFlight || inFlightBytes >= limits.inFlightBytes) return false;
    if (socket.unread > limits.unreadBytes) return false;
    const now = clock.now();
    allowance = Math.min(limits.burst, allowance + ((now - countedAtMs) * limits.framesPerSecond) / 1_000);
    countedAtMs = now;
    if (allowance >= 1) return true;
    void rest();
    return false;
  }

  /** Too many frames: the next is read when its time has come. */
  async function rest(): Promise<void> {
    if (resting) return;
    resting = true;
    await clock.sleep(Math.ceil(1_000 / limits.framesPerSecond), ended.signal).catch(() => undefined);
    resting = false;
    pump();
  }

  function pump(): void {
    while (queue.length > 0 && socket.open && mayBegin()) {
      allowance--;
      void begin(queue.shift() as Waiting);
    }
    const hold = queue.length > 0 || inFlight >= limits.inFlight;
    if (hold === paused || !socket.open) return;
    paused = hold;
    if (hold) socket.pause();
    else socket.resume();
  }

  async function begin({ text, bytes }: Waiting): Promise<void> {
    inFlight++;
    inFlightBytes += bytes;
    let frame: WorkerFrame | undefined;
    try {
      if (text === undefined) throw new WebfarerError('frame-invalid', 'a frame is not text');
      frame = read(text);
      await handle(frame);
    } catch (error) {
      refuse(error, frame && 'id' in frame ? frame.id : requestIdIn(text ?? ''));
    }
    inFlight--;
    inFlightBytes -= bytes;
    pump();
  }

  function refuse(error: unknown, id: number | undefined): void {
    const { code, message, next } =
      error instanceof WebfarerError
        ? error
        : new WebfarerError('internal', 'internal error of the coordinator');
    send({
      type: 'error',
      ...(id === undefined ? {} : { id }),
      code,
      message,
      ...(next === undefined ? {} : { next }),
    });
    if (code !== 'frame-invalid' && code !== 'frame-limit') return;
    strikes++;
    if (strikes > limits.strikes) close(linkCloses.misused, message);
  }

  function send(frame: CoordinatorFrame): boolean {
    if (!socket.open) return false;
    socket.send(JSON.stringify(frame), () => paused && pump());
    return true;
  }

  function close(code: number, reason: string): void {
    socket.close(code, reason);
    // A paused socket would never read the other side's agreement.
    if (paused) socket.resume();
  }

  function beat(): void {
    // What is not read from the socket cannot show that the other side lives.
    if (!paused) missed++;
    unreadBeats = socket.unread > limits.unreadBytes ? unreadBeats + 1 : 0;
    const stuck = unreadBeats * limits.heartbeatMs > limits.unreadMs;
    if (stuck || missed > MISSED_BEATS) return socket.terminate();
    socket.ping();
  }

  return {
    connection: {
      send,
      close,
      cut: () => socket.terminate(),
      beat,
      get open() {
        return socket.open;
      },
    },
    events: {
      message(text, bytes) {
        queue.push({ text, bytes });
        pump();
      },
      alive() {
        missed = 0;
      },
      closed(code, reason) {
        ended.abort(new Error('closed'));
        queue.length = 0;
        closed(reason || `closed (${code})`);
      },
    },
  };
}
