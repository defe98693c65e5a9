import { systemClock, WebfarerError } from '@webfarer/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { member } from './membership.suite.ts';
import type { Member, Membership } from './membership.ts';
import { createMembers, type Members } from './members.ts';
import { memoryMembership } from './memory-membership.ts';

const clock = systemClock();
const running: Members[] = [];

afterEach(async () => {
  for (const members of running.splice(0)) await members.stop();
});

function take(membership: Membership, id: string, say: () => Partial<Member> = () => ({})) {
  const replaced = vi.fn();
  const failed = vi.fn();
  const members = createMembers({
    membership,
    clock,
    self: () => member(id, say()),
    seen: () => true,
    replaced,
    failed,
  });
  running.push(members);
  return { members, replaced, failed };
}

const ids = ({ all }: Members) => all.map(({ id }) => id);

describe('taking part', () => {
  it('sees who comes, what they say, and who leaves', async () => {
    const board = memoryMembership({ ttlMs: 4_000, clock });
    const [a, b] = [take(board, 'a'), take(board, 'b', () => ({ workers: 5 }))];
    await a.members.start();
    expect(ids(a.members)).toEqual(['a']);
    await b.members.start();
    expect(ids(b.members)).toEqual(['a', 'b']);
    a.members.hurry();
    await vi.waitFor(() => expect(a.members.all[1]?.workers).toBe(5), 5_000);
    await b.members.stop();
    await vi.waitFor(() => expect(ids(a.members)).toEqual(['a']), 5_000);
  });

  it('comes back as another life when it was taken for dead', async () => {
    const board = memoryMembership({ ttlMs: 4_000, clock });
    const { members } = take(board, 'a');
    await members.start();
    const [before] = members.all;
    await board.leave(before as Member);
    await vi.waitFor(() => expect(members.all[0]?.life).not.toBe(before?.life), 5_000);
    expect(ids(members)).toEqual(['a']);
  });

  it('takes no part any more when another process has its id', async () => {
    const board = memoryMembership({ ttlMs: 4_000, clock });
    const [old, young] = [take(board, 'a'), take(board, 'a')];
    await old.members.start();
    await young.members.start();
    await vi.waitFor(() => expect(old.replaced).toHaveBeenCalledOnce(), 5_000);
    await old.members.stop();
    expect((await board.list())[0]?.life).toBe(young.members.all[0]?.life);
  });

  it('starts while the store is away, and is there when that is back, whatever it left there before', async () => {
    const board = memoryMembership({ ttlMs: 60_000, clock });
    await board.register(member('a', { life: 'before' }));
    let troubles = 2;
    const register = vi.fn(async (self: Member) => {
      if (troubles-- > 0) throw new WebfarerError('store-silent', 'away');
      return await board.register(self);
    });
    const { members, replaced, failed } = take({ ...board, register }, 'a');
    await members.start();
    expect(ids(members)).toEqual([]);
    await vi.waitFor(() => expect(ids(members)).toEqual(['a']), 10_000);
    expect((await board.list())[0]?.life).toBe(members.all[0]?.life);
    expect(replaced).not.toHaveBeenCalled();
    expect(failed).not.toHaveBeenCalled();
  });

  it('goes on with what it knows while the store is away', async () => {
    const board = memoryMembership({ ttlMs: 4_000, clock });
    let away = false;
    const renew = vi.fn(async (self: Member) => {
      if (away) throw new WebfarerError('store-silent', 'away');
      return await board.renew(self);
    });
    const { members, failed } = take({ ...board, renew }, 'a');
    await members.start();
    away = true;
    const before = renew.mock.calls.length;
    for (let n = 1; n < 4; n++) {
      members.hurry();
      await vi.waitFor(() => expect(renew.mock.calls.length).toBeGreaterThanOrEqual(before + n), 5_000);
    }
    expect(ids(members)).toEqual(['a']);
    expect(failed).not.toHaveBeenCalled();
  });
});
