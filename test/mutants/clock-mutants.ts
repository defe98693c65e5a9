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
  {
    name: 'retention-by-own-clock',
    why: 'A coordinator whose clock is a day ahead would delete crawls a day too early, and they do not come back.',
    file: 'packages/coordinator/src/maintenance/retirer.ts',
    from: "const { nowMs } = await registry.changes('');",
    to: 'const nowMs = clock.now();',
    killer: {
      test: 'packages/coordinator/src/maintenance/retirer.test.ts',
      case: 'goes by the time at the registry, whatever the clock of this coordinator says',
    },
  },
  {
    name: 'forgetting-waits-by-another-clock',
    why: 'A host that was barred by a process whose clock is an hour ahead would be forgotten an hour later.',
    file: `${redis}/forget/forget-hosts.ts`,
    from: 'Math.min(heardMs, since + heardMs - context.clock.now())',
    to: 'since + heardMs - context.clock.now()',
    killer: {
      test: `${redis}/forget/forget-hosts.test.ts`,
      case: 'waits no longer where the process that barred the host has a clock ahead',
    },
  },
];
