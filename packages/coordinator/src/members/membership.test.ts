import { systemClock } from '@webfarer/protocol';
import { membershipSuite } from './membership.suite.ts';
import { memoryMembership } from './memory-membership.ts';

membershipSuite({
  name: 'in memory',
  async open(processes, ttlMs) {
    const board = memoryMembership({ ttlMs, clock: systemClock() });
    return Array.from({ length: processes }, () => board);
  },
});
