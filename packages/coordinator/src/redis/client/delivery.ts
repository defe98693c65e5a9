import { type Clock, WebfarerError } from '@webfarer/protocol';
import { bytesOf, isMissing, type StoreCall } from './call.ts';
import { type Job, type Lane, maxBatch, type Outcome } from './lane.ts';
import { denied, isDenied } from '../refusals/denied.ts';
import { isLacking, lacking } from '../refusals/unsuited.ts';
import { type Reply, ReplyError } from '../wire/resp.ts';
import type { StoreEpoch } from './store-epoch.ts';
import type { Topology } from '../topology/topology.ts';

/** The node cannot take the call now, or it belongs to another one: the call was not carried out. */
const notCarriedOut = new Set([
  'MOVED',
  // Never followed: the other node has only a part of the group yet, and a script must not meet half (F7).
  'ASK',
  'TRYAGAIN',
  'CLUSTERDOWN',
  'LOADING',
  'READONLY',
  'MASTERDOWN',
  'NOREPLICAS',
  'BUSY',
  // No memory left: there is room again when results have left for files, or somebody gives it more.
  'OOM',
]);
/** Mended by knowing better; the others need time. */
const mendedAtOnce = new Set(['MOVED']);
const pauses = { firstMs: 10, longestMs: 500 };
const runEnded = new Error('the run has ended');

export interface DeliveryOptions {
  calls: StoreCall[];
  durable: boolean;
  deadlineMs: number;
  /** The epoch in which the calls must be carried out, or not at all. */
  within?: string | undefined;
  /** Told that groups were found at another address. */
  epoch: Pick<StoreEpoch, 'moved'>;
  clock: Clock;
  topology: Topology;
  laneTo(address: string, durable: boolean): Lane;
  isClosed(): boolean;
  /** Told why calls have to be sent again. */
  held: (why: string) => void;
  /** The first answers are thrown away as if the connection had broken. */
  loseAnswers: boolean;
}

/** Why calls have to be sent again. */
interface Again {
  calls: number[];
  why: string;
  pause: boolean;
  /** The answers `MOVED slot host:port`. */
  moved: string[];
}

/** Sends calls until each has a final answer, or rejects at the deadline. */
export async function deliver(options: DeliveryOptions): Promise<Reply[]> {
  const { calls, clock, deadlineMs } = options;
  const answers = new Array<Reply>(calls.length).fill(null);
  const late = new AbortController();
  const stop = new AbortController();
  clock.sleep(deadlineMs, stop.signal).then(
    () => late.abort(runEnded),
    () => {},
  );
  const delivery: Delivery = { ...options, answers, late: late.signal, why: 'no answer' };
  try {
    await sendAll(delivery, [...calls.keys()], 0);
    return answers;
  } finally {
    stop.abort(runEnded);
  }
}

interface Delivery extends DeliveryOptions {
  answers: Reply[];
  /** Aborted at the deadline. */
  late: AbortSignal;
  /** What holds it up, for the error message. */
  why: string;
}

/** Primaries go on by themselves: none waits for another's trouble. All have ended when this ends. */
async function sendAll(delivery: Delivery, calls: number[], attempt: number): Promise<void> {
  const parts = [...byPrimary(delivery, calls)].map(([address, part]) =>
    sendTo(delivery, { address, calls: part, attempt }),
  );
  if (parts.length === 1) return parts[0];
  for (const ended of await Promise.allSettled(parts)) {
    if (ended.status === 'rejected') throw ended.reason;
  }
}

function byPrimary({ calls, topology }: Delivery, indexes: number[]): Map<string, number[]> {
  const parts = new Map<string, number[]>();
  for (const n of indexes) {
    const address = topology.primaryOf((calls[n] as StoreCall).key) ?? '';
    const part = parts.get(address);
    if (part === undefined) parts.set(address, [n]);
    else part.push(n);
  }
  return parts;
}

interface Part {
  /** Empty while no primary is known for these calls. */
  address: string;
  calls: number[];
  attempt: number;
}

async function sendTo(delivery: Delivery, part: Part): Promise<void> {
  const { topology } = delivery;
  const { address, attempt } = part;
  for (const piece of pieces(delivery, part)) {
    const again =
      address === ''
        ? { calls: piece.indexes, why: 'no primary is known for a slot', pause: true, moved: [] }
        : await sendPiece(delivery, address, piece, attempt);
    if (again === undefined) continue;
    delivery.why = again.why;
    delivery.held(again.why);
    if (again.pause || attempt > 2) await pause(delivery, attempt);
    await topology.refresh();
    // After the round: it may have asked nodes that do not know of the move yet.
    for (const text of again.moved) noteMoved(topology, address, text);
    if (again.moved.length > 0) delivery.epoch.moved();
    if (delivery.isClosed()) throw storeClosed();
    if (delivery.late.aborted) throw tooLate(delivery, again.calls.length, address);
    await sendAll(delivery, again.calls, attempt + 1);
  }
}

/** So many are sent together however long they take: a server that is slow for another reason must not get them one by one. */
const fewestCalls = 50;

interface Piece {
  indexes: number[];
  job: Pick<Job, 'calls' | 'bytes'>;
}

/** What the next piece may hold is known better once the one before was answered. */
function* pieces({ calls, durable, laneTo }: Delivery, { address, calls: indexes }: Part): Generator<Piece> {
  const runMs = (call: StoreCall) => (address === '' ? 0 : laneTo(address, durable).runMs(call));
  let piece: Piece = { indexes: [], job: { calls: [], bytes: 0 } };
  let ms = 0;
  for (const n of indexes) {
    const call = calls[n] as StoreCall;
    const bytes = bytesOf(call);
    const { job } = piece;
    const isFull =
      job.calls.length >= maxBatch.calls ||
      job.bytes + bytes > maxBatch.bytes ||
      (job.calls.length >= fewestCalls && ms + runMs(call) > maxBatch.runMs);
    if (job.calls.length > 0 && isFull) {
      yield piece;
      piece = { indexes: [], job: { calls: [], bytes: 0 } };
      ms = 0;
    }
    piece.indexes.push(n);
    piece.job.calls.push(call);
    piece.job.bytes += bytes;
    ms += runMs(call);
  }
  if (piece.indexes.length > 0) yield piece;
}

/** Answers which calls have to be sent again; the answers of the others are final. */
async function sendPiece(
  delivery: Delivery,
  address: string,
  piece: Piece,
  attempt: number,
): Promise<Again | undefined> {
  const arrived = await throughLane(delivery, address, piece);
  const isLost = delivery.loseAnswers && attempt === 0;
  const outcome: Outcome = isLost ? { unsure: new Error('the answer was lost on purpose') } : arrived;
  if ('unsure' in outcome)
    return { calls: piece.indexes, why: outcome.unsure.message, pause: true, moved: [] };
  const again: Again = { calls: [], why: '', pause: false, moved: [] };
  piece.indexes.forEach((n, at) => {
    const reply = outcome.replies[at] as Reply;
    if (!(reply instanceof ReplyError) || !(notCarriedOut.has(reply.code) || isMissing(reply))) {
      if (isDenied(reply)) throw denied(address, reply);
      if (isLacking(reply)) throw lacking(address, reply);
      delivery.answers[n] = reply;
      return;
    }
    again.calls.push(n);
    again.why = `${address}: ${reply.text}`;
    if (reply.code === 'MOVED') again.moved.push(reply.text);
    if (!mendedAtOnce.has(reply.code) && !isMissing(reply)) again.pause = true;
  });
  return again.calls.length === 0 ? undefined : again;
}

function throughLane(delivery: Delivery, address: string, piece: Piece): Promise<Outcome> {
  const { late, topology, calls, durable, laneTo, within } = delivery;
  return new Promise((settle, reject) => {
    const lane = laneTo(address, durable);
    const job: Job = {
      ...piece.job,
      durable,
      epoch: within,
      left: false,
      stillHere: () =>
        piece.indexes.every((n) => topology.primaryOf((calls[n] as StoreCall).key) === address),
      note(why) {
        delivery.why = why;
        delivery.held(`${address}: ${why}`);
      },
      settle(outcome) {
        late.removeEventListener('abort', leave);
        settle(outcome);
      },
    };
    const leave = (): void => {
      job.left = true;
      lane.dropLeft();
      reject(tooLate(delivery, piece.indexes.length, address));
    };
    if (late.aborted) return leave();
    late.addEventListener('abort', leave, { once: true });
    lane.submit(job);
  });
}

/** `MOVED slot host:port` */
function noteMoved(topology: Topology, from: string, text: string): void {
  const [, slot, to = ''] = text.split(' ');
  if (/^.+:\d+$/.test(to)) topology.moved(Number(slot), from, to);
}

async function pause({ clock, late }: Delivery, attempt: number): Promise<void> {
  const ms = Math.min(pauses.firstMs * 2 ** attempt, pauses.longestMs);
  // allow(chance): others wait for the same node, and all of them must not come back at once
  await clock.sleep(ms * (0.5 + Math.random() / 2), late).catch(() => {});
}

export function storeClosed(): WebfarerError {
  return new WebfarerError('storage', 'the store was closed', { next: 'open it again' });
}

/** Whether a server refused because its memory is used up. */
export function isOutOfMemory(why: string): boolean {
  return /(^| )OOM /.test(why);
}

function tooLate({ deadlineMs, why }: Delivery, count: number, address: string): WebfarerError {
  return new WebfarerError(
    'store-silent',
    `the store did not answer ${count} ${count === 1 ? 'call' : 'calls'} within ${deadlineMs} ms (${address || 'no primary'}): ${why}`,
    {
      next: isOutOfMemory(why)
        ? 'Its memory is full. Raise maxmemory, or add shards and move groups to them; then run again, nothing acknowledged is lost'
        : 'Check that every node of the store is running and its replicas are connected, then run again. Nothing acknowledged is lost.',
    },
  );
}
