import type { Mutant } from './mutant.ts';

const folder = 'packages/coordinator/src/history';
const tests = { test: `${folder}/count-history.test.ts` };
const sampler = 'packages/coordinator/src/crawl/count-sampler';

/** The history of counts: charts that tell what never was, or that grow without end. */
export const historyMutants: readonly Mutant[] = [
  {
    name: 'history-grows-for-ever',
    why: 'A crawl that runs for years would fill the memory of the store with its charts.',
    file: 'packages/coordinator/src/redis/lua/count-sample.lua',
    from: 'string.sub(kept .. sample, -size * #sample)',
    to: 'kept .. sample',
    killer: { ...tests, case: 'keeps no more than 24 samples of a level in the store' },
  },
  {
    name: 'history-of-a-deleted-crawl',
    why: 'A late sample would bring back a key of a deleted crawl, which nobody would ever erase.',
    file: 'packages/coordinator/src/redis/lua/count-sample.lua',
    from: "if not catalog.is_listed(c) or call('HGET', P .. c, 'nonce') ~= ARGV[2] then",
    to: 'if false then',
    killer: { ...tests, case: 'does not come back by a late sample or under its name' },
  },
  {
    name: 'history-hides-gaps',
    why: 'A chart would draw a line through the night in which no coordinator ran.',
    file: `${folder}/samples.ts`,
    from: 'slot - before - rested(before, slot) > 2 * usual',
    to: 'slot - before > 2 * levelSize * usual',
    killer: {
      ...tests,
      case: 'SQLite, and another process that reads the file > tells where nobody took samples',
    },
  },
  {
    name: 'history-two-samples-of-a-slot',
    why: 'Every coordinator of a crawl would write a sample of its own, and the history would reach back less far with each.',
    file: `${folder}/sqlite-history.ts`,
    from: 'if (apart < 0 || (apart === 0 && !isLast)) return;',
    to: 'if (apart < 0) return;',
    killer: {
      ...tests,
      case: 'SQLite, and another process that reads the file > keeps one sample of a slot',
    },
  },
  {
    name: 'history-of-paused-crawls',
    why: 'Ten thousand crawls that nobody runs would write to the store for ever.',
    file: `${sampler}.ts`,
    from: 'if (isRunning || wasRunning) await Promise',
    to: 'await Promise',
    killer: { test: `${sampler}.test.ts`, case: 'costs nothing while a crawl is paused' },
  },
];
