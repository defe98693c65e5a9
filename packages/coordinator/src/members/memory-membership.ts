import type { Clock } from '@webfarer/protocol';
import type { Member, Membership, MembershipOptions } from './membership.ts';

/** For the members of one process: a coordinator that keeps its crawls in a file of its own is alone in it. */
export function memoryMembership({ ttlMs, clock }: MembershipOptions & { clock: Clock }): Membership {
  const known = new Map<string, { member: Member; endsAtMs: number }>();

  function alive(): Member[] {
    for (const [id, { endsAtMs }] of known) if (endsAtMs <= clock.now()) known.delete(id);
    return [...known.values()].map(({ member }) => member).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  function keep(self: Member): Member[] {
    known.set(self.id, { member: structuredClone(self), endsAtMs: clock.now() + ttlMs });
    return alive();
  }

  return {
    register: async (self) => keep(self),
    async renew(self) {
      const here = alive().find(({ id }) => id === self.id);
      if (!here) return { kind: 'gone' };
      return here.life === self.life ? { kind: 'ok', members: keep(self) } : { kind: 'replaced' };
    },
    async leave({ id, life }) {
      if (known.get(id)?.member.life === life) known.delete(id);
    },
    list: async () => alive(),
  };
}
