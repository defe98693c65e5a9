import { type Clock, WebfarerError } from '@webfarer/protocol';
import { groupTag } from './keys.ts';
import { replyArray } from './reply-array.ts';
import type { Reply } from './wire/resp.ts';
import { scripts, type Step } from './client/scripts.ts';
import type { RedisStore, RunOptions } from './store.ts';

/** One transition in one group. */
export interface GroupCall {
  group: number;
  script: Step;
  args: (string | number)[];
}

/** What a transition said beside its answer proper. */
export interface Outlook {
  group: number;
  /** The group's own time. */
  now: number;
  /** When the next lease or hold of the group ends. */
  nextEnd: number;
  /** Nothing is granted before: a clock jumped. */
  heldUntil: number;
  crawls: { crawl: string; due: number; used: string; reopened: boolean; dueNow: number }[];
}

export type GroupAnswer =
  /** `again`: the operation happened before, and its answer was lost on the way. */
  { kind: 'ok' | 'again'; values: Reply[] } | { kind: 'stale' } | { kind: 'busy' };

/** How a call was last sent. */
interface Sent {
  at: number;
  mode: string;
}

export interface GroupRunnerOptions {
  store: RedisStore;
  clock: Clock;
  /**
   * `given`: groups take the clock's time as it is; for tests that simulate time. `blind`: nobody compares the
   * store's clock with ours; for proofs that show what comparing is good for.
   */
  time: 'store' | 'given' | 'blind';
  /** Longest time a host may be held, over all crawls: how long a caller that doubts the time grants nothing. */
  longestHoldMs(): number;
  /** Told after every transition. */
  seen(outlook: Outlook): void;
  /** A call may have happened whose answer was lost. */
  doubtful(group: number): void;
}

export interface GroupRunner {
  run(calls: GroupCall[], options?: RunOptions): Promise<GroupAnswer[]>;
  one(group: number, script: Step, args: (string | number)[]): Promise<GroupAnswer>;
  /** The group's time as far as we know it. */
  now(group: number): number;
}

/** A closed group is on the move to another shard; that takes seconds. */
const closedPauseMs = 100;
const closedTries = 300;
const clockTries = 30;
/** Clocks that are further apart than this disagree (F5). */
const apartMs = 500;
/** A group's time is trusted if another process agreed with it this recently. */
const vouchedMs = 1_000;

export function groupRunner(options: GroupRunnerOptions): GroupRunner {
  const { store, clock, time, seen } = options;
  /** Group time minus our clock, for groups whose time was compared before. */
  const offsets = new Map<number, number>();
  /** Until when nothing is granted from a group, by our clock: its time is in doubt here. */
  const waryUntil = new Map<number, number>();
  /** When we last took a group's time for granted although ours was another, by our clock. */
  const adoptedAt = new Map<number, number>();
  /** Since when the store's time is known to have run on steadily. */
  let steadySince = clock.now();

  const now = (group: number) => clock.now() + (offsets.get(group) ?? 0);

  /** The time is taken whenever it is sent; with an `r` behind it when that is not for the first time. */
  function send({ group, script, args }: GroupCall, sent: Sent) {
    sent.mode = modeOf(group, script);
    const stamp = () => {
      const again = sent.at > 0 ? 'r' : '';
      if (again) options.doubtful(group);
      sent.at = clock.now();
      return `${Math.floor(now(group))}${again}`;
    };
    return { key: groupTag(group), script, stamp, args: [sent.mode, waryMs(group), ...args] };
  }

  function waryMs(group: number): number {
    const until = waryUntil.get(group);
    if (until === undefined) return 0;
    const left = Math.ceil(until - clock.now());
    if (left <= 0) waryUntil.delete(group);
    return Math.max(0, left);
  }

  function modeOf(group: number, { timed }: Step): string {
    if (time === 'given') return 'given';
    if (time === 'blind') return 'free';
    if (!timed) return offsets.has(group) ? 'told' : 'free';
    return offsets.has(group) ? 'sure' : 'new';
  }

  /**
   * The group's time was taken some time between sending and now, however long the answer lay here unread: what was
   * believed before is kept where it fits that.
   */
  function learn(group: number, sentAt: number, theirs: number): void {
    const most = theirs - sentAt;
    const least = theirs - clock.now();
    offsets.set(group, Math.min(most, Math.max(least, offsets.get(group) ?? 0)));
  }

  /**
   * A call that was merely late is sent again as it is. Otherwise the group's clock jumped, or ours did, or we are new
   * here and our clock is wrong: we take the group's time from now on. Where it may have jumped forward, this process
   * grants nothing for the longest hold; others decide for themselves (F5).
   */
  function onClock(group: number, { at: sentAt, mode }: Sent, [, here, last, doubted]: Reply[]): void {
    // Several calls at once meet the same jump: the first answer decides.
    if (sentAt <= (adoptedAt.get(group) ?? Number.NEGATIVE_INFINITY)) return;
    const isNew = mode === 'new';
    if (isNew && offsets.has(group)) return;
    const theirs = Number(here);
    const said = sentAt + (offsets.get(group) ?? 0);
    const isLate = theirs >= said - apartMs && theirs <= now(group) + apartMs;
    if (isLate && Number(doubted) === 0) return;
    const isAhead = theirs > now(group);
    adoptedAt.set(group, clock.now());
    offsets.set(group, theirs - sentAt);
    // Others agreed with a time beyond ours, or with this very one.
    const isVouchedFor = isNew ? theirs - Number(last) <= vouchedMs : Number(last) > said + apartMs;
    const holdMs = options.longestHoldMs();
    if (isNew) {
      const untilMs = isLate || isVouchedFor ? 0 : steadySince + holdMs;
      beWary(group, Math.max(untilMs, clock.now() + Number(doubted)));
    } else if (isAhead && !isVouchedFor && holdMs > 0) {
      steadySince = clock.now();
      beWary(group, clock.now() + holdMs);
      run([{ group, script: scripts.doubt, args: [Math.ceil(holdMs)] }]).catch(() => undefined);
    }
  }

  function beWary(group: number, untilMs: number): void {
    if (untilMs > Math.max(clock.now(), waryUntil.get(group) ?? Number.NEGATIVE_INFINITY))
      waryUntil.set(group, untilMs);
  }

  async function run(calls: GroupCall[], runOptions?: RunOptions): Promise<GroupAnswer[]> {
    const answers = Array<GroupAnswer | undefined>(calls.length);
    let open = calls.map((_, i) => i);
    for (let tries = 0; open.length > 0; tries++) {
      const sent = open.map((): Sent => ({ at: 0, mode: '' }));
      const replies = await store.run(
        open.map((i, n) => send(calls[i] as GroupCall, sent[n] as Sent)),
        runOptions,
      );
      const again: number[] = [];
      let closed = false;
      for (const [n, i] of open.entries()) {
        const call = calls[i] as GroupCall;
        const reply = replyArray(replies[n] ?? null);
        if (reply[0] === 'CLOCK') onClock(call.group, sent[n] as Sent, reply);
        if (reply[0] === 'CLOSED') closed = true;
        if (reply[0] === 'CLOCK' || reply[0] === 'CLOSED') again.push(i);
        else answers[i] = answerOf(call, sent[n]?.at ?? 0, reply);
      }
      if (tries > (closed ? closedTries : clockTries) && again.length > 0) throw stuck(closed);
      if (closed) await clock.sleep(closedPauseMs);
      open = again;
    }
    return answers as GroupAnswer[];
  }

  function answerOf({ group, script }: GroupCall, sentAt: number, reply: Reply[]): GroupAnswer {
    switch (reply[0]) {
      case 'OK':
      case 'AGAIN': {
        const outlook = Array.isArray(reply[1]) ? readOutlook(group, reply[1]) : undefined;
        if (outlook) {
          if (script.timed && time !== 'given') learn(group, sentAt, outlook.now);
          seen(outlook);
        }
        return { kind: reply[0] === 'OK' ? 'ok' : 'again', values: reply.slice(2) };
      }
      case 'STALE':
        return { kind: 'stale' };
      case 'BUSY':
        return { kind: 'busy' };
      case 'GONE':
        throw new WebfarerError('not-found', 'the crawl is not in this store');
      default:
        throw new WebfarerError('internal', `a script answered ${JSON.stringify(reply).slice(0, 200)}`);
    }
  }

  return {
    run,
    now,
    async one(group, script, args) {
      const [answer] = await run([{ group, script, args }]);
      return answer as GroupAnswer;
    },
  };
}

function readOutlook(group: number, [theirs, end, held, list]: Reply[]): Outlook {
  const flat = list as string[];
  const crawls: Outlook['crawls'] = [];
  for (let i = 0; i < flat.length; i += 5) {
    const [crawl = '', due = '', used = '', reopened = '', dueNow = ''] = flat.slice(i, i + 5);
    crawls.push({
      crawl,
      due: due === '' ? Number.POSITIVE_INFINITY : Number(due),
      used,
      reopened: reopened === '1',
      dueNow: Number(dueNow),
    });
  }
  const nextEnd = end === '' ? Number.POSITIVE_INFINITY : Number(end);
  return { group, now: Number(theirs), nextEnd, heldUntil: Number(held), crawls };
}

function stuck(closed: boolean): WebfarerError {
  return closed
    ? new WebfarerError('storage', 'a part of the store is closed', {
        next: 'It is being moved. If no move is running:  webfarer store move --resume --store URL',
      })
    : new WebfarerError('storage', 'the clocks of the store and of this machine drift apart', {
        next: 'Synchronize both with NTP, then run again.',
      });
}
