import type { Mutant } from './mutant.ts';

const redis = 'packages/coordinator/src/frontier/redis';
const jump = {
  test: `${redis}/again.test.ts`,
  case: 'time of the store > a store whose clock jumps forward serves no host early',
};
const doneAgain = (frontier: string) =>
  `frontier: ${frontier} > forgetting > can be done again, and tells whether it is done`;

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
    from: 'Math.min(heardMs, since + heardMs - context.clock.wall())',
    to: 'since + heardMs - context.clock.wall()',
    killer: {
      test: `${redis}/forget/forget-hosts.test.ts`,
      case: 'waits no longer where the process that barred the host has a clock ahead',
    },
  },
  {
    name: 'clock-tombstone-in-a-store-by-waits',
    why: 'After the machine was suspended, an export that holds a forgotten host would not be named, and the answer be complete.',
    file: 'packages/coordinator/src/frontier/redis/forget/forget-hosts.ts',
    from: 'barring(before, order, context.clock.wall())',
    to: 'barring(before, order, context.clock.now())',
    killer: {
      test: 'packages/coordinator/src/frontier/redis/redis-frontier.test.ts',
      case: doneAgain('Redis'),
    },
  },
  {
    name: 'clock-tombstone-in-a-folder-by-waits',
    why: 'The same for a crawl in a folder.',
    file: 'packages/coordinator/src/frontier/sqlite/forgetting.ts',
    from: 'barring(crawl.barred, order, store.clock.wall())',
    to: 'barring(crawl.barred, order, store.clock.now())',
    killer: {
      test: 'packages/coordinator/src/frontier/sqlite/sqlite-frontier.test.ts',
      case: doneAgain('SQLite in memory'),
    },
  },
  {
    name: 'clock-session-by-waits',
    why: 'After the machine was suspended, crawls that run would look as if they had stopped hours ago.',
    file: 'packages/coordinator/src/crawl/session-file.ts',
    from: 'clock.wall()',
    to: 'clock.now()',
    killer: {
      test: 'packages/coordinator/src/crawl/session-file.test.ts',
      case: 'saves where a crawl stands every five seconds, and one with many seeds less often',
    },
  },
  {
    name: 'clock-webhook-by-waits',
    why: 'After the machine was suspended, receivers would refuse each message as one that is sent again.',
    file: 'packages/coordinator/src/webhooks/webhook-sender.ts',
    from: 'const timestamp = Math.floor(clock.wall() / 1_000);',
    to: 'const timestamp = Math.floor(clock.now() / 1_000);',
    killer: {
      test: 'packages/coordinator/src/webhooks/webhooks.test.ts',
      case: 'a machine that was suspended dates its messages by the wall clock, as receivers check it',
    },
  },
  {
    name: 'clock-token-by-waits',
    why: 'After the machine was suspended, tokens would be valid for hours after their end.',
    file: 'packages/coordinator/src/tokens/token-book.ts',
    from: 'const nowMs = clock.wall();',
    to: 'const nowMs = performance.timeOrigin + performance.now();',
    killer: {
      test: 'packages/coordinator/src/tokens/token-book.test.ts',
      case: 'rejects an expired token',
    },
  },
];
