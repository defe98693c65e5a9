import type { Mutant } from './mutant.ts';

const redis = 'packages/coordinator/src/frontier/redis';
const jump = {
  test: `${redis}/again.test.ts`,
  case: 'time of the store > a store whose clock jumps forward serves no host early',
};

/** What a clock that jumps may not do. */
export const clockMutants: readonly Mutant[] = [
  {
    name: 'no-hold-after-a-jump',
    why: 'Hosts would be contacted too soon when the clock of a store is set forward.',
    file: 'packages/coordinator/src/redis/lua/base/time.lua',
    from: 'held_group = math.max(held_group, now + wary)',
    to: 'held_group = math.max(held_group, now)',
    killer: jump,
  },
  {
    name: 'clocks-not-compared',
    why: 'Hosts would be contacted too soon when the clock of a store is set forward.',
    file: 'packages/coordinator/src/redis/lua/base/time.lua',
    from: 'local apart = math.abs(now - here) > 500',
    to: 'local apart = false',
    killer: jump,
  },
  {
    name: 'jump-not-doubted',
    why: 'A process that sees a clock jump would grant hosts at once.',
    file: 'packages/coordinator/src/redis/group-runner.ts',
    from: 'beWary(group, clock.now() + holdMs);',
    to: 'void holdMs;',
    killer: {
      test: 'packages/coordinator/src/redis/group-runner.test.ts',
      case: 'a store whose clock jumps forward > is not trusted by any process that knew it before, for the longest hold',
    },
  },
];
