import { createHash } from 'node:crypto';
import type { Member } from './membership.ts';

type Owner = Pick<Member, 'id' | 'capacity'>;

/**
 * Which member looks after each group first, by rendezvous hashing: every member has a number for every group, and
 * the greatest wins. When one comes or goes only its own groups change hands, and all who know the same members
 * agree without talking. A member of twice the capacity has about twice as many; with equal ones a share is within
 * five times its square root of even (32 ± 28 of 1,024 groups over 32 members). Nothing but haste depends on it.
 */
export function ownersOf(members: readonly Owner[], groups: number): (string | undefined)[] {
  const seeds = members.map((member) => ({ ...member, seed: seedOf(member.id) }));
  return Array.from({ length: groups }, (_, group) => {
    let best: string | undefined;
    let most = Number.NEGATIVE_INFINITY;
    for (const { id, capacity, seed } of seeds) {
      if (capacity <= 0) continue;
      // Equal ones are told apart by their names, so that all members decide alike.
      const score = -capacity / Math.log(chance(seed, group));
      if (score > most || (score === most && best !== undefined && id < best)) {
        best = id;
        most = score;
      }
    }
    return best;
  });
}

function seedOf(id: string): [number, number] {
  const digest = createHash('sha256').update(id).digest();
  return [digest.readUInt32LE(0), digest.readUInt32LE(4)];
}

/** Between 0 and 1, neither of them. */
function chance([a, b]: [number, number], group: number): number {
  const high = mix(a ^ Math.imul(group + 1, 0x9e3779b1));
  const low = mix(b ^ Math.imul(group + 1, 0x85ebca77) ^ high);
  return (high * 0x100000 + (low >>> 12) + 0.5) / 0x10000000000000;
}

/** The last step of MurmurHash3: every bit of the answer depends on every bit of the number. */
function mix(n: number): number {
  let h = n;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
