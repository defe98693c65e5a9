import type { Clock } from '@webfarer/protocol';
import type { Connection } from '../wire/connection.ts';
import { commandOf, isLoaded, isMissing, loadCommand, type Script, type StoreCall } from './call.ts';
import { isDenied } from '../refusals/denied.ts';
import { type Command, type Reply, ReplyError } from '../wire/resp.ts';
import type { RunTimes } from './run-times.ts';
import type { StoreEpoch } from './store-epoch.ts';

/** Some calls of one run for one primary. They are sent together and answered together. */
export interface Job {
  calls: StoreCall[];
  bytes: number;
  /** Whether it is done only when enough replicas have it. */
  durable: boolean;
  /** The epoch of the store in which it must be carried out, or not at all; undefined: in any. */
  epoch: string | undefined;
  /** Asked while replicas are missing: false once these calls belong to another primary. */
  stillHere(): boolean;
  /** Set when the caller has stopped waiting; nobody listens to the outcome any more. */
  left: boolean;
  /** Told what holds it up, for the message at the deadline. */
  note(why: string): void;
  settle(outcome: Outcome): void;
}

/** `unsure`: nothing may be concluded from the answers, if there were any; the calls must be sent again. */
export type Outcome = { replies: Reply[] } | { unsure: Error };

export interface LaneOptions {
  open(): Promise<Connection>;
  connections: number;
  /** R of WAIT, asked with every pipeline: replicas come and go. */
  replicas(): number;
  epoch: Pick<StoreEpoch, 'now'>;
  runTimes: RunTimes;
  clock: Pick<Clock, 'now'>;
  /**
   * Told whom each new connection leads to: which process, with which history of writes. Throws where nothing may be
   * written there.
   */
  met(run: string, isPrimary: boolean): void;
  /** A write that leaves nothing behind, for servers on which WAIT would otherwise not wait after a mere look. */
  mark: Script;
  /** Called while replicas are missing, to learn whether there is another primary by now. */
  refresh(): Promise<void>;
}

/** The way to one primary: a queue and a few connections, each with one pipeline at a time. */
export interface Lane {
  submit(job: Job): void;
  /** Milliseconds that this call may keep the primary busy. */
  runMs(call: StoreCall): number;
  /** Ends the pipelines that nobody waits for, because every job in them was left. */
  dropLeft(): void;
  close(): void;
}

/**
 * Above this a pipeline is split, so that one caller cannot hold a connection for long. Calls carry the time at which they were
 * sent, and a group refuses those that come half a second late (F5), so what keeps a server busy for longer comes in pieces.
 */
export const maxBatch = { calls: 1_000, bytes: 1024 * 1024, runMs: 100 };
/** Keys that a mark is tried behind. */
const marksAtMost = 8;
/** One WAIT blocks its connection for at most this long; it is repeated. */
const waitMs = 500;

interface Link {
  connection: Connection;
  /** Names the server's history of writes: another one after a failover, there and back included. */
  history: string;
  /** Scripts this server is known to have. */
  scripts: Set<string>;
  /** WAIT waits only for what this connection has written. */
  forgetful: boolean;
}

export function openLane(options: LaneOptions): Lane {
  const { connections, runTimes } = options;
  const queue: Job[] = [];
  const idle: Link[] = [];
  const busy = new Map<Link, Job[]>();
  let workers = 0;
  let closed = false;

  const submit = (job: Job): void => {
    queue.push(job);
    if (workers < connections) void work();
  };

  /** Serves the queue over one connection until it is empty. Never rejects. */
  const work = async (): Promise<void> => {
    workers += 1;
    let link: Link | undefined;
    for (let batch: Job[]; (batch = nextBatch(queue, runTimes)).length > 0; ) {
      try {
        link = link ?? takeIdle() ?? (await openLink());
        busy.set(link, batch);
        // The server at the other end is known by now, and nothing can change before the calls are written.
        const { current, late } = byEpoch(batch, options.epoch.now);
        for (const job of late) job.settle({ replies: job.calls.map(() => epochReply) });
        if (current.length > 0) await serve(link, current);
      } catch (error) {
        for (const job of batch) job.settle({ unsure: error as Error });
      }
      if (link !== undefined) busy.delete(link);
      if (link?.connection.dead === true) link = undefined;
    }
    if (link !== undefined) idle.push(link);
    workers -= 1;
    if (closed) close();
  };

  const takeIdle = (): Link | undefined => {
    for (let link = idle.pop(); link !== undefined; link = idle.pop()) {
      if (!link.connection.dead) return link;
    }
    return undefined;
  };

  const openLink = async (): Promise<Link> => {
    const connection = await options.open();
    const { run, history, forgetful, isPrimary } = await serverOf(connection);
    try {
      options.met(`${run} ${history}`, isPrimary);
    } catch (error) {
      connection.end('not the primary');
      throw error;
    }
    if (closed) connection.end('the store is closed');
    return { connection, history, forgetful, scripts: new Set() };
  };

  /** One pipeline `[FUNCTION LOAD ..., the calls, the mark, WAIT]` for all jobs of the batch, and its outcome. */
  const serve = async (link: Link, batch: Job[]): Promise<void> => {
    const replicas = options.replicas();
    const wait = batch[0]?.durable === true && replicas > 0;
    const marked = wait && link.forgetful;
    const missing = missingScripts(link, batch, marked ? options.mark : undefined);
    const commands: Command[] = missing.map(loadCommand);
    for (const { calls } of batch) for (const call of calls) commands.push(commandOf(call));
    if (marked) commands.push(markAt(batch[0]?.calls[0]?.key ?? ''));
    if (wait) commands.push(['WAIT', replicas, waitMs]);
    const replies = await timed(options, batch, () => link.connection.pipeline(commands));
    const refused = noteScripts(link, missing, replies);
    let last = replies.at(-1);
    if (marked && replies.at(-2) instanceof ReplyError)
      last = await markAgain(link, batch, replies.slice(missing.length), replicas);
    if (wait && isDenied(last)) {
      const refusal = last;
      for (const job of batch) job.settle({ replies: job.calls.map(() => refusal) });
      return;
    }
    const enough = !wait || isEnough(last, replicas) || (await waitOn(link, batch, last));
    let at = missing.length;
    for (const job of batch) {
      const own = replies.slice(at, (at += job.calls.length));
      if (!enough) job.settle({ unsure: new Error('it now belongs to another node') });
      else if (refused.size === 0) job.settle({ replies: own });
      else job.settle({ replies: own.map((reply, n) => refused.get(job.calls[n]?.script?.sha) ?? reply) });
    }
  };

  const markAt = (key: string): Command => commandOf({ key, script: options.mark, args: [] });

  /**
   * The key of the mark belongs elsewhere by now: behind others whose calls were carried out. Answers what WAIT says;
   * where none was carried out there is nothing to wait for. A group on the move takes no mark, but there only the
   * mover's own commands are carried out: every script is sent away (F7).
   */
  const markAgain = async (
    link: Link,
    batch: Job[],
    replies: Reply[],
    replicas: number,
  ): Promise<Reply | undefined> => {
    const calls = batch.flatMap((job) => job.calls);
    const done = calls.filter((_, n) => !(replies[n] instanceof ReplyError)).map(({ key }) => key);
    const keys = [...new Set(done)].slice(0, marksAtMost);
    if (keys.length === 0) return replicas;
    const answers = await link.connection.pipeline([...keys.map(markAt), ['WAIT', replicas, waitMs]]);
    const marks = answers.slice(0, -1);
    const refused = marks.find((mark) => mark instanceof ReplyError && !isOnTheMove(mark));
    if (refused instanceof ReplyError && marks.every((mark) => mark instanceof ReplyError))
      throw new Error(`the mark was refused: ${refused.text}`);
    return answers.at(-1);
  };

  const isEnough = (reply: Reply | undefined, replicas: number): boolean =>
    typeof reply === 'number' && reply >= replicas;

  /**
   * WAIT again on the same connection, until it is satisfied or the calls belong elsewhere. Counts only if
   * the server's history is still the one the connection began with: a primary that was replaced and came
   * back would answer for writes it has forgotten.
   */
  const waitOn = async (link: Link, batch: Job[], first: Reply | undefined): Promise<boolean> => {
    for (let last = first; ; ) {
      const replicas = options.replicas();
      if (typeof last === 'number')
        for (const job of batch) job.note(`${last} of ${replicas} replicas have it`);
      await options.refresh();
      if (closed || !batch.some((job) => !job.left && job.stillHere())) return false;
      const [reply, info] = await link.connection.pipeline([
        ['WAIT', replicas, waitMs],
        ['INFO', 'replication'],
      ]);
      if (reply instanceof ReplyError) return false;
      if (replicationId(info) !== link.history) {
        link.connection.end('the server was a replica in between');
        return false;
      }
      if (isEnough(reply, replicas)) return true;
      last = reply;
    }
  };

  const close = (): void => {
    closed = true;
    for (const job of queue.splice(0)) job.settle({ unsure: new Error('the store is closed') });
    for (const { connection } of [...idle.splice(0), ...busy.keys()]) connection.end('the store is closed');
  };

  return {
    submit,
    runMs: runTimes.of,
    dropLeft() {
      for (const [{ connection }, jobs] of busy) {
        if (jobs.every(({ left }) => left)) connection.end('nobody waits for the answer any more');
      }
    },
    close,
  };
}

/** Its slot is being moved away: keys that are not there any more are elsewhere. */
function isOnTheMove({ code, text }: ReplyError): boolean {
  return code === 'ASK' || code === 'TRYAGAIN' || text.includes('non local key');
}

async function timed<T>(
  { clock, runTimes }: Pick<LaneOptions, 'clock' | 'runTimes'>,
  batch: Job[],
  send: () => Promise<T>,
): Promise<T> {
  const sentAtMs = clock.now();
  const answer = await send();
  const calls = batch.flatMap((job) => job.calls);
  runTimes.learn(calls, clock.now() - sentAtMs);
  return answer;
}

/** The first job and those behind it that fit: what waited while all connections were busy shares one WAIT. */
function nextBatch(queue: Job[], runTimes: RunTimes): Job[] {
  const batch: Job[] = [];
  let calls = 0;
  let bytes = 0;
  let ms = 0;
  while (queue.length > 0) {
    const job = queue[0] as Job;
    if (!job.left) {
      calls += job.calls.length;
      bytes += job.bytes;
      for (const call of job.calls) ms += runTimes.of(call);
      const fits = calls <= maxBatch.calls && bytes <= maxBatch.bytes && ms <= maxBatch.runMs;
      if (batch.length > 0 && (!fits || job.durable !== batch[0]?.durable)) break;
      batch.push(job);
    }
    queue.shift();
  }
  return batch;
}

function missingScripts(link: Link, batch: Job[], mark: Script | undefined): Script[] {
  const missing = new Map<string, Script>();
  if (mark !== undefined && !link.scripts.has(mark.sha)) missing.set(mark.sha, mark);
  for (const { calls } of batch) {
    for (const { script } of calls)
      if (script !== undefined && !link.scripts.has(script.sha)) missing.set(script.sha, script);
  }
  return [...missing.values()];
}

/** Remembers what was loaded, forgets all once one is missing; answers the errors of invalid libraries. */
function noteScripts(link: Link, loaded: Script[], replies: Reply[]): Map<string | undefined, ReplyError> {
  const refused = new Map<string | undefined, ReplyError>();
  loaded.forEach(({ sha }, at) => {
    const reply = replies[at];
    if (isLoaded(reply)) link.scripts.add(sha);
    else if (reply instanceof ReplyError && (reply.code === 'ERR' || isDenied(reply)))
      refused.set(sha, reply);
  });
  if (replies.some(isMissing)) link.scripts.clear();
  return refused;
}

/** What a call is answered that had to be carried out in an epoch that is over. It was not. */
const epochReply = new ReplyError('EPOCH the epoch of the store has changed');

function byEpoch(batch: Job[], now: string): { current: Job[]; late: Job[] } {
  const isLate = ({ epoch }: Job) => epoch !== undefined && epoch !== now;
  if (!batch.some(isLate)) return { current: batch, late: [] };
  return { current: batch.filter((job) => !isLate(job)), late: batch.filter(isLate) };
}

interface Server {
  run: string;
  history: string;
  forgetful: boolean;
  isPrimary: boolean;
}

async function serverOf(connection: Connection): Promise<Server> {
  const [replication, server] = await connection.pipeline([
    ['INFO', 'replication'],
    ['INFO', 'server'],
  ]);
  if (replication instanceof ReplyError && replication.code === 'NOAUTH') {
    connection.end('not signed in');
    throw new Error(replication.text);
  }
  const run = /run_id:(\w+)/.exec(typeof server === 'string' ? server : '')?.[1] ?? '';
  const isPrimary = typeof replication !== 'string' || !/^role:slave/m.test(replication);
  return { run, history: replicationId(replication), forgetful: isForgetful(server), isPrimary };
}

/**
 * Up to Redis 7.0, WAIT behind any command waits for all that was written before it, by whomever. Valkey 8 waits only
 * for writes of the same connection (seen with 8.0.1); what is between, and newer, is taken to do so.
 */
function isForgetful(info: Reply | undefined): boolean {
  const text = typeof info === 'string' ? info : '';
  const [, major = '', minor = ''] = /redis_version:(\d+)\.(\d+)/.exec(text) ?? [];
  return /valkey_version:/.test(text) || Number(major) > 7 || (major === '7' && Number(minor) > 0);
}

function replicationId(info: Reply | undefined): string {
  return /master_replid:(\w+)/.exec(typeof info === 'string' ? info : '')?.[1] ?? '';
}
