import { systemClock } from '@webfarer/protocol';
import { expect, it, vi } from 'vitest';
import { memoryMembership } from '../members/memory-membership.ts';
import { joinNetwork, type NetworkMember } from './network-member.ts';

const clock = systemClock();

function oneOf(membership: ReturnType<typeof memoryMembership>): NetworkMember {
  const load = () => ({ workers: 0, hosts: 0 });
  const server = { workers: () => [], load, tell: () => false, tellAll: () => {}, water: () => 0 };
  const told = { replaced: vi.fn(), failed: vi.fn() };
  const alone = { upkeep: undefined, isPinned: () => false, changed: () => {} };
  const about = { id: 'a', url: 'http://a', capacity: 1, crawl: () => 'x', wants: () => 1 };
  return joinNetwork({ ...about, ...alone, membership, clock, server, ...told });
}

it('is seen by others once it has started, until it stops', async () => {
  const member = oneOf(memoryMembership({ ttlMs: 5_000, clock }));
  await member.start();
  expect(member.peers()).toEqual([{ id: 'a', url: 'http://a' }]);
  await member.stop();
});

it('takes no part when it was stopped before it started: nothing would ever end it', async () => {
  const member = oneOf(memoryMembership({ ttlMs: 5_000, clock }));
  await member.stop();
  await member.start();
  expect(member.members()).toEqual([]);
});
