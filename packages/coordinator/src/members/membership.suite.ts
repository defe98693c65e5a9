import { describe, expect, it, vi } from 'vitest';
import type { Member, Membership } from './membership.ts';

export interface MembershipWorld {
  name: string;
  /** The memberships of several processes, on one new and empty board. */
  open(processes: number, ttlMs: number): Promise<Membership[]>;
}

export function member(id: string, more: Partial<Member> = {}): Member {
  return {
    id,
    life: '1',
    url: `http://${id}:7311`,
    capacity: 1,
    workers: 0,
    hosts: 0,
    crawl: 'x',
    wants: 1_000,
    ...more,
  };
}

const long = 60_000;
const short = 300;
const names = (members: readonly Member[]) => members.map(({ id }) => id);

/** What every membership must do. */
export function membershipSuite({ name, open }: MembershipWorld): void {
  describe(`members: ${name}`, () => {
    it('lists who has registered, by id, with what each says of itself', async () => {
      const [a, b] = (await open(2, long)) as [Membership, Membership];
      expect(await a.list()).toEqual([]);
      await b.register(member('b', { capacity: 2, workers: 7 }));
      expect(await a.register(member('a'))).toEqual([member('a'), member('b', { capacity: 2, workers: 7 })]);
      expect(await b.list()).toEqual([member('a'), member('b', { capacity: 2, workers: 7 })]);
    });

    it('tells others what a member says with its renewal', async () => {
      const [a, b] = (await open(2, long)) as [Membership, Membership];
      await a.register(member('a'));
      await b.register(member('b'));
      const now = member('a', {
        workers: 3,
        hosts: 20,
        rounds: { view: 'v', round: 1, counts: [{ workers: 3, wants: 5, sinceMs: 20 }], acted: 0 },
        recounts: 2,
        leaving: true,
      });
      expect(await a.renew(now)).toEqual({ kind: 'ok', members: [now, member('b')] });
      expect(await b.renew(member('b'))).toEqual({ kind: 'ok', members: [now, member('b')] });
      await a.renew(member('a'));
      expect(await b.list()).toEqual([member('a'), member('b')]);
    });

    it('forgets who leaves, and only the life that leaves', async () => {
      const [a, b, again] = (await open(3, long)) as [Membership, Membership, Membership];
      await a.register(member('a'));
      await b.register(member('b'));
      await b.leave(member('b'));
      expect(names(await a.list())).toEqual(['a']);
      await again.register(member('a', { life: '2' }));
      await a.leave(member('a'));
      expect(await b.list()).toEqual([member('a', { life: '2' })]);
    });

    it('forgets who is not renewed in time, and takes it back', async () => {
      const [a, b] = (await open(2, short)) as [Membership, Membership];
      await a.register(member('a'));
      await b.register(member('b'));
      const stay = async () => {
        const renewal = await a.renew(member('a'));
        if (renewal.kind === 'gone') await a.register(member('a'));
        expect(names(await a.list())).toEqual(['a']);
      };
      await vi.waitFor(stay, { timeout: 5_000, interval: 50 });
      expect(await b.renew(member('b'))).toEqual({ kind: 'gone' });
      expect(names(await b.register(member('b')))).toContain('b');
    });

    it('keeps who is renewed in time', async () => {
      const [a, b] = (await open(2, 1_500)) as [Membership, Membership];
      await a.register(member('a'));
      await b.register(member('b'));
      const started = performance.now();
      while (performance.now() - started < 2_000) {
        expect((await b.renew(member('b'))).kind).toBe('ok');
        await new Promise((done) => setTimeout(done, 50));
      }
      expect(names(await b.list())).toEqual(['b']);
    });

    it('lets a new life replace the old one, which is told', async () => {
      const [old, young, other] = (await open(3, long)) as [Membership, Membership, Membership];
      await old.register(member('a', { workers: 9 }));
      await other.register(member('b'));
      await young.register(member('a', { life: '2' }));
      expect(await old.renew(member('a', { workers: 9 }))).toEqual({ kind: 'replaced' });
      expect(await other.list()).toEqual([member('a', { life: '2' }), member('b')]);
    });

    it('tells every process the same, whenever it asks', async () => {
      const boards = await open(5, long);
      for (let step = 0; step < 60; step++) {
        const n = (step * 7) % 5;
        const self = member(`m${n}`, { workers: step });
        const board = boards[n] as Membership;
        if (step % 4 === 3) await board.leave(self);
        else if ((await board.renew(self)).kind !== 'ok') await board.register(self);
        if (step % 3 === 0) await boards[(step * 3) % 5]?.list();
      }
      const [first, ...rest] = await Promise.all(boards.map((board) => board.list()));
      expect(first?.length).toBeGreaterThan(1);
      for (const list of rest) expect(list).toEqual(first);
    });
  });
}
