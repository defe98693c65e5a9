import {
  createLeaseRoster,
  createPauseBoard,
  nothingElsewhere,
  shareLeases,
  workerId,
} from '@webfarer/coordinator';
import {
  type Clock,
  type CoordinatorLink,
  type HostWait,
  type Pause,
  WebfarerError,
  type WorkerId,
} from '@webfarer/protocol';
import { type CookieJar, type Names, openNames } from '@webfarer/worker';
import type { ChildCalls, ParentCalls, WorkerLook, WorkerTask, Written } from './calls.ts';
import { forkWorker, type WorkerProcess } from './fork-worker.ts';
import { unpackReports } from './report-pack.ts';
import { createWire, receivedError, type Wire } from './wire.ts';

/** Several worker processes of one crawl. */
export interface ProcessCrew {
  start(): void;
  /** Something may be due that was not before. */
  wake(): void;
  /** Finishes what is in flight and gives back the rest, then asks for work again. */
  release(): void;
  /** Drops what is in flight, so that `stop` need not wait for it. */
  drop(): void;
  /** Finishes what is in flight; when it resolves, everything is durable and closed. */
  stop(): Promise<void>;
  look(): Promise<{ inFlight: number; waiting: HostWait[]; archive: Written }>;
  readonly pause: Pause | undefined;
}

export interface ProcessCrewOptions {
  /** How many processes. */
  count: number;
  task: Omit<WorkerTask, 'process' | 'cookies'>;
  link: CoordinatorLink;
  clock: Clock;
  cookies: CookieJar | undefined;
  /** What the savers had written before any of the processes began. */
  archive: Written;
  /** Hosts that have something queued. */
  hostsQueued: () => Promise<number>;
  /** A process is gone: nobody will come back with its leases. */
  releaseLeases: (worker: WorkerId) => Promise<unknown>;
  pauseChanged: (pause: Pause | undefined) => void;
  /** A process was lost: one sentence for a person. */
  lost: (text: string) => void;
  failed: (error: unknown) => void;
  /** Tests replace it. */
  startProcess?: () => WorkerProcess;
}

/** One that ends this often without having lived long in between ends by itself: starting it again is no help. */
export const MAX_RESTARTS = 5;
const LONG_LIFE_MS = 60_000;
/** One that was told to drop everything and does not is ended. */
const DROP_PATIENCE_MS = 5_000;
/** A process that reads a large page answers late: then it is shown as it was. */
const LOOK_PATIENCE_MS = 300;

interface Member {
  readonly process: number;
  child: WorkerProcess;
  wire: Wire<ChildCalls>;
  alive: boolean;
  startedAtMs: number;
  restarts: number;
  look: WorkerLook;
  /** Gives up its place among those who lease. */
  leave: () => void;
}

/**
 * Several worker processes, each with the whole pipeline, joined to this one by messages. This process keeps the
 * coordinator, the store, the register of file names and the cookies. One that dies is started again.
 */
export async function openProcessCrew(options: ProcessCrewOptions): Promise<ProcessCrew> {
  const { clock, count, link } = options;
  const startProcess = options.startProcess ?? forkWorker;
  const roster = createLeaseRoster({ link, clock, mostAway: 0 });
  const share = shareLeases({
    clock,
    hostsQueued: options.hostsQueued,
    stillDry: () => {},
    elsewhere: () => nothingElsewhere,
  });
  const board = createPauseBoard(options.pauseChanged);
  const names = sharedNames();
  const members: Member[] = [];
  /** Of processes that are no more, and from before; may be negative while those alive count the same files. */
  const base = { ...options.archive };
  let started = false;
  let stopping = false;
  /** What is being done about processes that were lost. */
  let repairs: Promise<unknown> = Promise.resolve();

  /** Starts a process in the place of a member and makes it ready. */
  async function launch(process: number, restarts: number): Promise<Member> {
    const child = startProcess();
    const worker = workerId(options.task.member, process);
    const leases = roster.connect({
      worker,
      session: String(restarts),
      holds: [],
      keepsEntries: false,
      isSeveral: false,
    });
    const shared = share.join(leases, { wake: () => wire.tell('moreDue'), water: () => {} });
    const calls: ParentCalls = {
      lease: shared.lease,
      leaseHost: shared.leaseHost,
      robots: (origin) => link.robots(origin),
      previous: (question) => link.previous(question),
      renew: (leases) => link.renew(leases),
      report: (packed) => shared.report(unpackReports(packed)),
      claimName: async ({ file, wanted, url }) => await (await names.of(file)).claim(wanted, url),
      syncNames: async (file) => await (await names.of(file)).sync(),
      cookiesSet(set) {
        for (const { url, lines } of set) options.cookies?.store(url, lines);
        for (const other of members)
          if (other.alive && other.process !== process) other.wire.tell('cookiesSet', set);
      },
      pauseChanged: (pause) => board.set(String(process), pause),
      failed: (error) => options.failed(receivedError(error)),
    };
    const wire = createWire<ChildCalls>(child.port, { ...calls });
    const startedAtMs = clock.now();
    const look: WorkerLook = { inFlight: 0, waiting: [], written: { files: 0, bytes: 0 } };
    const member = { process, child, wire, alive: true, startedAtMs, restarts, look, leave: shared.leave };
    const before = members[process - 1]?.look.written ?? { files: 0, bytes: 0 };
    members[process - 1] = member;
    repairs = Promise.all([repairs, child.ended.then((how) => ended(member, how))]);
    const cookies = options.cookies?.save();
    const written = await wire.call('open', { ...options.task, process, cookies });
    base.files += before.files - written.files;
    base.bytes += before.bytes - written.bytes;
    look.written = written;
    return member;
  }

  async function ended(member: Member, how: string): Promise<void> {
    member.alive = false;
    member.leave();
    board.set(String(member.process), undefined);
    member.look = { ...member.look, inFlight: 0, waiting: [] };
    // Should the disk refuse it, the leases run out by themselves.
    await options.releaseLeases(workerId(options.task.member, member.process)).catch(() => undefined);
    if (stopping || !started) return;
    await replace(member, how).catch((error: unknown) => options.failed(error));
  }

  async function replace({ process, startedAtMs, restarts: before }: Member, how: string): Promise<void> {
    const restarts = clock.now() - startedAtMs >= LONG_LIFE_MS ? 1 : before + 1;
    const what = `Worker process ${process} ended unexpectedly (${how}); its URLs are back in the queue`;
    if (restarts <= MAX_RESTARTS) {
      options.lost(`${what}. It is restarted (${restarts} of ${MAX_RESTARTS}).`);
      const member = await launch(process, restarts).catch((error: unknown) => {
        // Gone while it was being made ready: its own end is dealt with.
        if (error instanceof WebfarerError && error.code === 'interrupted') return undefined;
        throw error;
      });
      if (stopping) member?.child.disconnect();
      else member?.wire.tell('start');
      return;
    }
    const left = members.filter(({ alive }) => alive).length;
    if (left === 0) throw allGone(how);
    options.lost(
      `${what}. It has ended ${restarts} times and is not restarted; ${left} of ${count} continue.`,
    );
  }

  async function lookAt(member: Member): Promise<WorkerLook> {
    if (!member.alive) return member.look;
    const patience = new AbortController();
    const late = clock.sleep(LOOK_PATIENCE_MS, patience.signal).then(() => undefined);
    const look = await Promise.race([member.wire.call('look'), late]).catch(() => undefined);
    patience.abort();
    late.catch(() => undefined);
    if (look) member.look = look;
    return member.look;
  }

  async function stopOne(member: Member): Promise<void> {
    if (member.alive) {
      try {
        const written = await member.wire.call('stop', { now: false });
        member.look = { inFlight: 0, waiting: [], written };
      } catch (error) {
        // One that died in the meantime has been dealt with; what it had is not lost.
        if (!(error instanceof WebfarerError && error.code === 'interrupted')) throw error;
      } finally {
        member.child.disconnect();
      }
    }
    await member.child.ended;
  }

  try {
    await Promise.all(Array.from({ length: count }, (_, i) => launch(i + 1, 0)));
  } catch (error) {
    stopping = true;
    for (const { child } of members) child.disconnect();
    await repairs;
    throw error;
  }

  return {
    start() {
      started = true;
      for (const { wire } of members) wire.tell('start');
    },
    wake() {
      for (const { wire } of members) wire.tell('moreDue');
    },
    release() {
      for (const { wire } of members) wire.tell('release');
    },
    drop() {
      for (const { wire, child, alive } of members) {
        if (!alive) continue;
        wire.call('stop', { now: true }).catch(() => undefined);
        const over = new AbortController();
        void child.ended.then(() => over.abort());
        clock.sleep(DROP_PATIENCE_MS, over.signal).then(
          () => child.kill(),
          () => undefined,
        );
      }
    },
    async stop() {
      stopping = true;
      const ends = await Promise.allSettled(members.map(stopOne));
      await repairs;
      await names.close();
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    },
    async look() {
      const looks = await Promise.all(members.map(lookAt));
      const sum = (of: (look: WorkerLook) => number) => looks.reduce((total, look) => total + of(look), 0);
      return {
        inFlight: sum((look) => look.inFlight),
        waiting: looks.flatMap((look) => look.waiting).sort((a, b) => a.dueInMs - b.dueInMs),
        archive: {
          files: base.files + sum(({ written }) => written.files),
          bytes: base.bytes + sum(({ written }) => written.bytes),
        },
      };
    },
    get pause() {
      return board.pause;
    },
  };
}

function allGone(how: string): WebfarerError {
  return new WebfarerError('internal', `all worker processes have ended, the last by ${how}`, {
    next: 'Nothing is lost: run the same command to resume. With --processes 1 the cause is easier to see.',
  });
}

/** The registers of file names, each opened when the first process asks for it. */
function sharedNames() {
  const open = new Map<string, Promise<Names>>();
  return {
    of(file: string): Promise<Names> {
      const known = open.get(file);
      if (known) return known;
      const names = openNames(file);
      open.set(file, names);
      // A disk that is full now may not be so later.
      names.catch(() => open.delete(file));
      return names;
    },
    async close(): Promise<void> {
      for (const names of open.values()) await (await names).close();
    },
  };
}
