import { type Clock, WebfarerError } from '@webfarer/protocol';
import type { StoreCall } from './client/call.ts';
import { openConnection } from './wire/connection.ts';
import { deliver, storeClosed } from './client/delivery.ts';
import { type Lane, openLane } from './client/lane.ts';
import { createRunTimes } from './client/run-times.ts';
import { type NodeInfo, readMoving, readNodes } from './client/node-info.ts';
import { ask } from './wire/ask.ts';
import { type Reply, ReplyError, type WireEncoding } from './wire/resp.ts';
import { refuseMissingRights } from './refusals/missing-rights.ts';
import { scanKeys } from './scan-keys.ts';
import { scripts } from './client/scripts.ts';
import { createStoreEpoch } from './client/store-epoch.ts';
import { openTopology } from './topology/open-topology.ts';
import type { Topology } from './topology/topology.ts';

export type { Script, StoreCall } from './client/call.ts';

export interface RunOptions {
  /** Default true: success only when WAIT, right behind the calls on their connection, counted `replicas`. */
  durable?: boolean;
  deadlineMs?: number;
  /**
   * The epoch in which the calls must be carried out, or not at all: in another one, each that was not is answered with
   * a ReplyError `EPOCH`. One whose answer was lost with its server may have been carried out in the epoch before.
   */
  within?: string | undefined;
}

export interface RedisStore {
  /**
   * Answers in the order of the calls. Each primary gets its calls in one pipeline (split above 1,000 calls
   * or 1 MiB), in their order unless a node is in trouble; primaries do not wait for each other, and two
   * runs at once have no order between them. A ReplyError that is not about routing is returned as a value.
   * Calls may be sent more than once, even after the deadline has passed here, so each must do its work once
   * however often it arrives.
   */
  run(calls: StoreCall[], options?: RunOptions): Promise<Reply[]>;
  /** The same; tells why calls have to be sent again. */
  runTelling(held: (why: string) => void, calls: StoreCall[], options?: RunOptions): Promise<Reply[]>;
  /** What the store has said holds as long as this is the same: store-epoch.ts. */
  epoch(): string;
  /** Throws where a primary lacks a command that crawls need, or its user may not run it; names all of them. */
  checkRights(): Promise<void>;
  /** Primaries, replicas and their settings, asked now. */
  nodes(): Promise<NodeInfo[]>;
  /** The smallest number of replicas that the cluster lists for any shard, reachable or not. */
  fewestReplicas(): number;
  /** Slots that some node is giving away or taking, asked now. */
  movingSlots(): Promise<Set<number>>;
  /** Keys that match, as SCAN finds them on each primary: one that is there all the time at least once. */
  scan(pattern: string): AsyncIterable<string[]>;
  /**
   * Asks the primary of a key on a new connection, so with the password and the certificates of now. Rejects with the
   * reason where it does not answer within `deadlineMs`.
   */
  askAfresh(key: string, deadlineMs: number): Promise<void>;
  /** Address of the primary a key belongs to by what is known now; empty while nobody is known. */
  primaryOf(key: string): string;
  close(): Promise<void>;
}

export interface StoreOptions {
  /** See `readStoreUrl` in address/address.ts. */
  url: string;
  /** The least that R of WAIT may be: never lowered by what a node says at the moment. */
  replicas: number;
  /** R is every replica of the primary that could be elected, as the cluster lists them; looked up again and again. */
  everyReplica?: boolean;
  /** 2 to 4: a WAIT blocks its connection. */
  connectionsPerNode?: number;
  /** Real time, for pauses and deadlines. */
  clock: Clock;
  /** UTF-8 unless said otherwise. */
  encoding?: WireEncoding;
  /** For proofs: may throw before anything is sent. */
  fault?: (calls: StoreCall[]) => void;
  /** For proofs: true loses the first answers of these calls, so that they are carried out twice. */
  loseAnswers?: (calls: StoreCall[]) => boolean;
}

const defaultDeadlineMs = 30_000;
const tellNobody = (): void => undefined;
/** A script may take long and WAIT blocks; silence beyond this means that the node or the way is gone. */
const times = { connectMs: 2_000, answerMs: 5_000 };

export async function openStore(options: StoreOptions): Promise<RedisStore> {
  const topology = await reach(options);
  return overTopology(options, topology);
}

async function reach({ url, clock }: StoreOptions): Promise<Topology> {
  try {
    return await openTopology(url, clock);
  } catch (error) {
    if (error instanceof WebfarerError) throw error;
    const { cause } = error as Error;
    if (cause instanceof WebfarerError) throw cause;
    throw new WebfarerError('store-silent', `the store is unreachable: ${(error as Error).message}`, {
      next: 'Check the address, and that the server is running and accepts connections from this machine; where it expects TLS, write rediss://. Then run again.',
      cause: error,
    });
  }
}

/** How soon a replica that was added is waited for. */
const lookEveryMs = 2_000;
const closing = new Error('the store is closed');
/** For what waits for no replica. */
const readingConnections = 2;

async function lookAgain(topology: Topology, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(lookEveryMs, signal).catch(() => undefined);
    if (!signal.aborted) await topology.refresh().catch(() => undefined);
  }
}

/** Asked twice where the primary may be another one by now. */
async function askOnce(topology: Topology, key: string): Promise<void> {
  for (const isLast of [false, true]) {
    try {
      const address = topology.primaryOf(key);
      if (address === undefined) throw new Error('no primary is known');
      const [reply] = await ask(topology.endpoint(address), [['EXISTS', key]]);
      if (reply instanceof ReplyError) throw new Error(`${address}: ${reply.text}`);
      return;
    } catch (error) {
      if (isLast) throw error;
      await topology.refresh();
    }
  }
}

function overTopology(options: StoreOptions, topology: Topology): RedisStore {
  const { clock, replicas, everyReplica = false, connectionsPerNode = 4 } = options;
  const lanes = new Map<string, { address: string; lane: Lane }>();
  const epoch = createStoreEpoch();
  let closed = false;

  /** One that is a primary no more may become one again, with another history: then it is to be met anew. */
  const leaveFormer = (): void => {
    const primaries = new Set(topology.primaries());
    for (const [name, { address, lane }] of lanes) {
      if (primaries.has(address)) continue;
      lanes.delete(name);
      lane.close();
    }
  };

  const waits = everyReplica || replicas > 0;

  /** Calls that wait for no replica have a way of their own: a WAIT in vain may block all others for long (F10). */
  const laneTo = (address: string, durable: boolean): Lane => {
    const name = `${address} ${durable || !waits}`;
    let lane = lanes.get(name)?.lane;
    if (lane === undefined) {
      leaveFormer();
      lane = openLane({
        epoch,
        clock,
        runTimes: createRunTimes(),
        met: (run, isPrimary) => {
          // A cluster says so itself, and names the primary. Elsewhere a replica may be set to accept writes.
          if (!topology.cluster && !isPrimary) throw new Error(`${address} is a replica, not the primary`);
          epoch.met(address, run);
        },
        open: () => openConnection(topology.endpoint(address), times, options.encoding),
        connections: durable || !waits ? connectionsPerNode : readingConnections,
        replicas: () => Math.max(replicas, everyReplica ? topology.replicasOf(address) : 0),
        mark: scripts.mark,
        refresh: () => topology.refresh(),
      });
      lanes.set(name, { address, lane });
    }
    return lane;
  };

  const stop = new AbortController();
  if (everyReplica || topology.followed) void lookAgain(topology, clock, stop.signal);

  const runTelling: RedisStore['runTelling'] = async (
    held,
    calls,
    { durable = true, deadlineMs = defaultDeadlineMs, within } = {},
  ) => {
    options.fault?.(calls);
    if (closed) throw storeClosed();
    if (calls.length === 0) return [];
    const isClosed = (): boolean => closed;
    const loseAnswers = options.loseAnswers?.(calls) ?? false;
    const about = { calls, durable, deadlineMs, held, within, epoch };
    return await deliver({ ...about, clock, topology, laneTo, isClosed, loseAnswers });
  };

  return {
    run: (calls, how) => runTelling(tellNobody, calls, how),
    runTelling,
    epoch: () => epoch.now,
    async checkRights() {
      await Promise.all(
        topology.primaries().map((address) => refuseMissingRights(topology.endpoint(address))),
      );
    },
    nodes: () => readNodes(topology),
    fewestReplicas: () => topology.fewestReplicas(),
    movingSlots: () => readMoving(topology),
    scan: (pattern) => scanKeys(topology, pattern),
    async askAfresh(key, deadlineMs) {
      const patience = new AbortController();
      const late = clock.sleep(deadlineMs, patience.signal).then(() => {
        throw new Error(`no answer in ${deadlineMs} ms`);
      });
      try {
        await Promise.race([askOnce(topology, key), late]);
      } finally {
        patience.abort(closing);
        late.catch(() => undefined);
      }
    },
    primaryOf: (key) => topology.primaryOf(key) ?? '',
    close() {
      closed = true;
      stop.abort(closing);
      for (const { lane } of lanes.values()) lane.close();
      lanes.clear();
      return Promise.resolve();
    },
  };
}
