import type { Mutant } from './mutant.ts';

const frontier = 'packages/coordinator/src/frontier';

/** What ties knowledge outside the store to the store it came from. */
export const generationMutants: readonly Mutant[] = [
  {
    name: 'trimmed-in-any-epoch',
    why: 'A restored folder would take reports without the links that only the lost one knew.',
    file: `${frontier}/epochs.ts`,
    from: 'trimmedIn !== undefined && trimmedIn !== epochOf(crawl)',
    to: 'trimmedIn !== undefined && epochOf(crawl) === undefined',
    killer: {
      test: `${frontier}/sqlite/sqlite-frontier.test.ts`,
      case: 'frontier: SQLite in memory > epochs > takes reports that were trimmed in its epoch, and no others',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'redis-resent-to-another-server',
    why: 'A trimmed report that waits for a server would be carried out by the backup that takes its place.',
    file: 'packages/coordinator/src/redis/client/lane.ts',
    from: 'epoch !== undefined && epoch !== now;',
    to: "epoch === 'never';",
    killer: {
      test: `${frontier}/redis/epochs.test.ts`,
      case: 'a server that went back in time takes no trimmed report, however often it is sent',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'redis-same-epoch-after-failover',
    why: 'With durability: available, links lost in a failover would be left out by workers for ever.',
    file: 'packages/coordinator/src/redis/client/store-epoch.ts',
    from: 'runs.set(address, run);\n      count++;',
    to: 'runs.set(address, run);',
    more: [
      {
        file: 'packages/coordinator/src/redis/client/store-epoch.ts',
        from: 'moved() {\n      count++;',
        to: 'moved() {',
      },
    ],
    killer: {
      test: `${frontier}/redis/epochs.test.ts`,
      case: 'a replica that takes over begins a new epoch, and so does the primary that comes back',
    },
  },
  {
    name: 'sqlite-fences-repeat',
    why: 'After a restore, a report of a lost lease would settle and close the lease that has its fence.',
    file: `${frontier}/sqlite/store.ts`,
    from: 'Math.floor(clock.now()) * fencesPerMs',
    to: '0',
    killer: {
      test: `${frontier}/sqlite/sqlite-file.test.ts`,
      case: 'a restored copy has another epoch, and takes no report of what was lost with it',
    },
  },
  {
    name: 'redis-fences-repeat',
    why: 'After a restore, a report of a lost lease would settle and close the lease that has its fence.',
    file: 'packages/coordinator/src/redis/lua/base/leases.lua',
    from: 'h.f = math.max(h.f + 1, math.floor(now))',
    to: 'h.f = h.f + 1',
    killer: {
      test: `${frontier}/redis/epochs.test.ts`,
      case: 'fences are not given out again by a server that went back in time',
    },
  },
  {
    name: 'crawl-without-nonce',
    why: 'Workers would leave out links of a crawl begun again under the name of an erased one.',
    file: `${frontier}/redis/context/crawl-registry.ts`,
    from: 'return `${store.epoch()}.${nonce}`;',
    to: 'return `${store.epoch()}.${nonce === undefined}`;',
    killer: {
      test: `${frontier}/redis/epochs.test.ts`,
      case: 'a crawl of the same name after another was erased has an epoch of its own',
    },
  },
  {
    name: 'outbox-keeps-trimmed',
    why: 'Links left out of a report that waited on disk would be lost with the store that knew them.',
    file: 'packages/worker/src/link/delivery.ts',
    from: 'await outbox.add(packFrame(reports), atMs);',
    to: 'await known.report(reports, async (trimmed) => (await outbox.add(packFrame(trimmed), atMs), []));',
    killer: {
      test: 'packages/worker/src/link/delivery.test.ts',
      case: 'keeps reports with all their links while no coordinator is there',
    },
  },
  {
    name: 'changed-job-ignored',
    why: 'Workers that stay up would go on with the old user agent, gap and scope.',
    file: 'packages/worker/src/crawls/worker-crawls.ts',
    from: 'known.revision !== revision ||',
    to: "known.revision === '' ||",
    killer: {
      test: 'packages/worker/src/crawls/worker-crawls.test.ts',
      case: 'opens a crawl anew when its job changes',
    },
  },
];
