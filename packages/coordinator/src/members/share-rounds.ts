import { createHash } from 'node:crypto';
import type { Count, Member, Rounds } from './membership.ts';
import { crawlsPerWorker, evenOut, type Flow, type Load } from './worker-shares.ts';
import { takeTurns } from './worker-turns.ts';

/** Workers that were told to switch have this long before they are counted again. */
const settleMs = 1_500;
/** The same while workers take turns: nobody should wait long for one. */
const turnMs = 400;
/** Workers that come and go meanwhile are not chased for ever. */
const roundsAtMost = 4;
/** Shares that look uneven for so long are counted anew; where that did not help, after twice the time, and so on. */
const unevenMs = 600;
const unevenAtMostMs = 30_000;

/** What a coordinator knows of itself. */
export interface OwnLoad {
  workers: number;
  wants: number;
  nowMs: number;
}

export interface ShareStep {
  /** What to tell the others with the next renewal. */
  rounds: Rounds;
  recounts: number;
  /** Own workers that are to switch now. */
  flows: Flow[];
  /** How many crawls each worker has to look after in turn. */
  crawlsPerWorker: number;
  /** Nothing is left to do until the members, their workers or their work change. */
  settled: boolean;
}

/**
 * Agrees on shares with the other members, without a leader. Each member publishes how many workers it has and how many
 * it could use. Once all have published for the same members and the same round, all compute the same flows from the same
 * numbers, and each moves its own workers. Rounds repeat until the shares are right. Later, a member that has too many
 * workers, because workers or work came or went, starts another round.
 */
export interface ShareRounds {
  look(members: readonly Member[], own: OwnLoad): ShareStep;
}

export function createShareRounds(id: string): ShareRounds {
  let view = '';
  let round = 0;
  let counts: Count[] = [];
  /** The last round in which the own workers were told. */
  let acted = 0;
  /** When to count again; undefined while some member has not told its workers. */
  let againAtMs: number | undefined;
  let perWorker = 1;
  let settled = false;
  let recounts = 0;
  /** Since when the settled shares look uneven, and how long that is tolerated. */
  let unevenSinceMs: number | undefined;
  let toleratedMs = unevenMs;
  let unevenBefore = '';
  let hadWorkers = false;
  let sinceMs = 0;

  function begin(seen: string): void {
    view = seen;
    round = 0;
    counts = [];
    acted = 0;
    againAtMs = undefined;
    settled = false;
    unevenSinceMs = undefined;
  }

  /** What a member says of these rounds; of oneself, what is known here. */
  function wordsOf(member: Member): Omit<Rounds, 'view'> {
    if (member.id === id) return { round, counts, acted };
    return member.rounds?.view === view ? member.rounds : { round: 0, counts: [], acted: 0 };
  }

  function countOf(member: Member): Count | undefined {
    const words = wordsOf(member);
    return words.counts.at(round - words.round - 1);
  }

  /** The numbers of the present round, if all have said theirs. */
  function loads(members: readonly Member[]): (Load & Count)[] | undefined {
    const found: (Load & Count)[] = [];
    for (const member of members) {
      const { round: theirs } = wordsOf(member);
      const count = theirs < round || theirs > round + 1 ? undefined : countOf(member);
      if (count === undefined) return undefined;
      found.push({ ...loadOf(member), ...count });
    }
    return found;
  }

  function count(members: readonly Member[], { workers, wants, nowMs }: OwnLoad): void {
    const allActed = members.every((member) => wordsOf(member).acted >= round);
    if (allActed && round > 0) againAtMs ??= nowMs + (perWorker > 1 ? turnMs : settleMs);
    if (round > 0 && (againAtMs === undefined || nowMs < againAtMs)) return;
    round++;
    counts = [...counts.slice(-1), { workers, wants, sinceMs: Math.round(nowMs - sinceMs) }];
    againAtMs = undefined;
  }

  /** By what the others said last, which may be old: good enough to ask for a count. */
  function flowsByWords(members: readonly Member[], own: OwnLoad): Flow[] {
    const all = members.map((member) =>
      member.id === id ? { ...loadOf(member), workers: own.workers, wants: own.wants } : loadOf(member),
    );
    const flows =
      crawlsPerWorker(all) > 1 ? takeTurns(all.map((each) => ({ ...each, sinceMs: 0 }))) : evenOut(all);
    return flows.filter(({ from }) => from === id);
  }

  function askForRecount(members: readonly Member[], own: OwnLoad): void {
    const flows = flowsByWords(members, own);
    if (flows.length === 0) {
      unevenSinceMs = undefined;
      return;
    }
    unevenSinceMs ??= own.nowMs;
    // Another need than the last time deserves to be seen to at once.
    const needs = flows.map(({ to }) => to).join(' ');
    if (needs !== unevenBefore) toleratedMs = unevenMs;
    if (own.nowMs - unevenSinceMs < toleratedMs) return;
    unevenBefore = needs;
    toleratedMs = Math.min(unevenAtMostMs, toleratedMs * 2);
    recounts++;
  }

  function share(all: (Load & Count)[], nowMs: number): Flow[] {
    perWorker = crawlsPerWorker(all);
    const flows = perWorker > 1 ? takeTurns(all) : evenOut(all);
    acted = round;
    settled = flows.length === 0 || (perWorker <= 1 && acted >= roundsAtMost);
    if (flows.length === 0) unevenBefore = '';
    // Having had a turn, it is last in line again: one that workers cannot reach must not stand before all others.
    if (flows.some(({ to }) => to === id)) sinceMs = nowMs;
    return flows.filter(({ from }) => from === id);
  }

  return {
    look(members, own) {
      const { nowMs } = own;
      if (own.workers > 0 !== hadWorkers) sinceMs = nowMs;
      hadWorkers = own.workers > 0;
      const seen = viewOf(members.map((member) => (member.id === id ? { ...member, recounts } : member)));
      if (seen !== view) begin(seen);
      if (settled) askForRecount(members, own);
      else count(members, own);
      const all = acted < round ? loads(members) : undefined;
      const flows = all ? share(all, nowMs) : [];
      return {
        rounds: { view, round, counts, acted },
        recounts,
        flows,
        crawlsPerWorker: perWorker,
        settled,
      };
    },
  };
}

function loadOf({ id, capacity, workers, pinned = 0, crawl, wants, leaving, cordoned }: Member): Load {
  return {
    id,
    capacity: leaving || cordoned ? 0 : capacity,
    workers: Math.max(0, workers - pinned),
    pinned: pinned > 0,
    crawl,
    wants,
  };
}

/** Names who the members are, all that the shares depend on but their workers and their work. */
function viewOf(members: readonly Member[]): string {
  const text = members
    .map(
      (m) =>
        `${m.id} ${m.life} ${m.capacity} ${m.leaving ? 'leaving' : ''}${m.cordoned ? 'cordoned' : ''} ${m.recounts ?? 0}`,
    )
    .join('\n');
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}
