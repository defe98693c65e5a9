import { createHash } from 'node:crypto';
import type { Member } from './membership.ts';
import { evenOut, type Flow, type Load } from './worker-shares.ts';

/** Workers that were told to switch have this long before they are counted again. */
const settleMs = 1_500;
/** Workers that come and go meanwhile are not chased for ever: this happens when members change, not workers. */
const roundsAtMost = 4;

export interface ShareStep {
  /** What to tell the others with the next renewal. */
  rounds: NonNullable<Member['rounds']>;
  /** Own workers that are to switch now. */
  flows: Flow[];
  /** Nothing is left to do until the members change. */
  settled: boolean;
}

/**
 * Works out even shares together with the others, without a leader. Each member says how many workers it had when it
 * first saw who the members are. Once all have said so for the same members, all know the same numbers and find the
 * same flows, and each tells its own workers. Then they count again, until shares are even.
 */
export interface ShareRounds {
  look(members: readonly Member[], own: { workers: number; nowMs: number }): ShareStep;
}

export function createShareRounds(id: string): ShareRounds {
  let view = '';
  let counts: number[] = [];
  /** Rounds in which the own workers were told. */
  let acted = 0;
  /** When to count again; undefined while somebody has not told its workers. */
  let againAtMs: number | undefined;
  let settled = false;

  function begin(seen: string): void {
    view = seen;
    counts = [];
    acted = 0;
    againAtMs = undefined;
    settled = false;
  }

  /** What a member says of these rounds; of oneself, what is known here. */
  function wordsOf(member: Member): { counts: readonly number[]; acted: number } {
    if (member.id === id) return { counts, acted };
    return member.rounds?.view === view ? member.rounds : { counts: [], acted: 0 };
  }

  /** The numbers of the present round, if all have said theirs. */
  function loads(members: readonly Member[]): Load[] | undefined {
    const found: Load[] = [];
    for (const member of members) {
      const workers = wordsOf(member).counts[counts.length - 1];
      if (workers === undefined) return undefined;
      found.push({ id: member.id, capacity: member.leaving ? 0 : member.capacity, workers });
    }
    return found;
  }

  function count(members: readonly Member[], workers: number, nowMs: number): void {
    const allActed = members.every((member) => wordsOf(member).acted >= counts.length);
    if (allActed && counts.length > 0) againAtMs ??= nowMs + settleMs;
    if (counts.length > 0 && (againAtMs === undefined || nowMs < againAtMs)) return;
    counts = [...counts, workers];
    againAtMs = undefined;
  }

  return {
    look(members, { workers, nowMs }) {
      const seen = viewOf(members);
      if (seen !== view) begin(seen);
      if (!settled) count(members, workers, nowMs);
      const all = acted < counts.length ? loads(members) : undefined;
      const flows = all ? evenOut(all) : [];
      if (all) {
        acted = counts.length;
        settled = flows.length === 0 || acted >= roundsAtMost;
      }
      return { rounds: { view, counts, acted }, flows: flows.filter(({ from }) => from === id), settled };
    },
  };
}

/** Names who the members are, all that the shares depend on but their workers. */
function viewOf(members: readonly Member[]): string {
  const text = members.map((m) => `${m.id} ${m.life} ${m.capacity} ${m.leaving ? 'leaving' : ''}`).join('\n');
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}
