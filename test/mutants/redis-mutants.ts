import type { Mutant } from './mutant.ts';

const redis = 'packages/coordinator/src/frontier/redis';
const suite = (name: string) => ({
  test: `${redis}/redis-frontier.test.ts`,
  case: `frontier: Redis > ${name}`,
});

const erasing = {
  test: `${redis}/erasing.test.ts`,
  case: 'erases a crawl that others work on: late calls are answered and write nothing',
};

/** The frontier on Redis, and how its writes become durable. */
export const redisMutants: readonly Mutant[] = [
  {
    name: 'redis-page-cut-ignored',
    why: 'A reader that follows results would miss outcomes that no longer fit on a page.',
    file: `${redis}/redis-results.ts`,
    from: 'if (isFull()) return false;',
    to: 'if (isFull()) return true;',
    killer: suite('cursors > give what was settled since, in the order of each host, with items and links'),
  },
  {
    name: 'redis-files-passed-over',
    why: 'A reader that follows results would miss what was drained to files before it came.',
    file: 'packages/coordinator/src/results/draining/group-records.ts',
    from: "const [, filesTo = start] = typeof last === 'string' ? last.split(' ') : [];",
    to: 'const filesTo = start;',
    killer: {
      test: 'packages/coordinator/src/results/draining/drained-frontier.test.ts',
      case: 'cursors > give what was settled since, in the order of each host, with items and links',
    },
  },
  {
    name: 'redis-no-fence',
    why: 'A report of an earlier lease would change the lease that replaced it.',
    file: 'packages/coordinator/src/redis/lua/report.lua',
    from: 'or h.ho or h.f ~= fence or now >= h.hd then',
    to: 'or now >= h.hd then',
    killer: suite('leases and clocks > answers late and repeated reports and changes nothing'),
  },
  {
    name: 'redis-late-reports-accepted',
    why: 'A worker whose lease ran out would settle URLs that another worker is fetching.',
    file: 'packages/coordinator/src/redis/lua/report.lua',
    from: 'or h.ho or h.f ~= fence or now >= h.hd then',
    to: 'or h.f ~= fence then',
    killer: suite('leases and clocks > answers late and repeated reports and changes nothing'),
  },
  {
    name: 'redis-host-free-at-deadline',
    why: 'A frozen worker could still be talking to a host that another worker is given.',
    file: 'packages/coordinator/src/redis/lua/base/leases.lua',
    from: 'h.hu, h.ho = h.hd + m.fetch + m.gap, false',
    to: 'h.hu, h.ho = h.hd, false',
    killer: suite('leases and clocks > an expired lease gives its URLs back but the host stays held'),
  },
  {
    name: 'redis-short-gap',
    why: 'Hosts would be contacted twice as often as promised.',
    file: 'packages/coordinator/src/redis/lua/report.lua',
    from: 'delay(h, finished + num(gap), why)',
    to: 'delay(h, finished + num(gap) / 2, why)',
    killer: suite('leases and clocks > keeps the gap after the end of a request'),
  },
  {
    name: 'redis-parcels-dropped',
    why: 'Links to sites of other groups would be lost when the process dies before it delivers them.',
    file: 'packages/coordinator/src/redis/lua/report.lua',
    from: "local parcel = #outs > 0 and append(P .. m.c .. 'o', unpack(outs)) or ''",
    to: "local parcel = ''",
    killer: suite('leases and clocks > settling twice within a lease changes nothing'),
  },
  {
    name: 'redis-operation-twice',
    why: 'A report whose answer was lost would be refused when it is sent again, and its pages fetched twice.',
    file: 'packages/coordinator/src/redis/lua/report.lua',
    from: "if h.op ~= '' then",
    to: "if h.op == 'never' then",
    killer: {
      test: `${redis}/again.test.ts`,
      case: 'answers that are lost > a report counts once, and the crawl goes on',
    },
  },
  {
    name: 'no-wait',
    why: 'What was acknowledged would be lost with its primary.',
    file: 'packages/coordinator/src/redis/client/lane.ts',
    from: 'const wait = batch[0]?.durable === true && replicas > 0;',
    to: 'const wait = false;',
    killer: {
      test: 'packages/coordinator/src/redis/client/lane.test.ts',
      case: 'a lane to one primary > waits right behind the calls, on their connection',
    },
  },
  {
    name: 'no-history-check',
    why: 'A primary that was replaced and came back would vouch for writes it has forgotten.',
    file: 'packages/coordinator/src/redis/client/lane.ts',
    from: 'if (replicationId(info) !== link.history) {',
    to: 'if (link.history === undefined) {',
    killer: {
      test: 'packages/coordinator/src/redis/client/lane.test.ts',
      case: 'a lane to one primary > does not believe a later WAIT of a primary that was replaced in between',
    },
  },
  {
    name: 'wait-for-one',
    why: 'What was acknowledged would be on one of two replicas, and the other may be elected.',
    file: 'packages/coordinator/src/redis/client/lane.ts',
    from: "typeof reply === 'number' && reply >= replicas;",
    to: "typeof reply === 'number' && reply >= Math.min(1, replicas);",
    killer: {
      test: 'packages/coordinator/src/redis/client/lane.test.ts',
      case: 'a lane to one primary > waits for every replica, not for the first of them',
    },
  },
  {
    name: 'old-claims-win',
    why: 'Writes would go to a primary that is cut off and was replaced.',
    file: 'packages/coordinator/src/redis/client/cluster-view.ts',
    from: 'epoch > held.epoch;',
    to: 'epoch < held.epoch;',
    killer: {
      test: 'packages/coordinator/src/redis/client/cluster-view.test.ts',
      case: 'views of a cluster > are believed by the highest epoch, in whatever order and round they come',
    },
  },
  {
    name: 'redis-no-second-look',
    why: 'A crawl would finish while a link is on its way from one group to another.',
    file: `${redis}/crawl-life.ts`,
    from: "const kept = await closeGroups(context, crawl, (group) => seen[group] ?? '');",
    to: 'const kept = closed;',
    killer: {
      test: `${redis}/finishing.test.ts`,
      case: 'finishing > keeps a paused crawl paused where it fails',
    },
  },
  {
    name: 'redis-finish-over-new-work',
    why: 'A crawl would finish although something came in after the last look.',
    file: 'packages/coordinator/src/redis/lua/finish.lua',
    from: "if v[3] or (v[2] or '0') ~= ARGV[2] then",
    to: 'if v[3] then',
    killer: {
      test: `${redis}/finishing.test.ts`,
      case: 'finishing > does not happen when something comes in after the last look',
    },
  },
  {
    name: 'redis-outbox-ignored',
    why: 'A crawl would finish while links wait to be delivered to another group.',
    file: 'packages/coordinator/src/redis/lua/close-group.lua',
    from: "+ call('XLEN', P .. m.c .. 'o')",
    to: '',
    killer: {
      test: `${redis}/outbox.test.ts`,
      case: 'links that wait in an outbox keep the crawl from being finished',
    },
  },
  {
    name: 'redis-parcels-left',
    why: 'Links of a process that died before it delivered them would never be fetched.',
    file: `${redis}/sweeping.ts`,
    from: '  await deliverLate(context, swept',
    to: '  if (swept.length < 0) await deliverLate(context, swept',
    killer: { test: `${redis}/outbox.test.ts`, case: 'a sweep delivers links whose process did not' },
  },
  {
    name: 'results-leave-before-disk',
    why: 'Results would be in neither the store nor a file when the process dies in between.',
    file: 'packages/coordinator/src/results/draining/drainer.ts',
    from: '(options.unsafeKeepFirst ? unsafely : safely)',
    to: '(options.unsafeKeepFirst === undefined ? unsafely : safely)',
    killer: {
      test: 'packages/coordinator/src/results/draining/drain.test.ts',
      case: 'loses and doubles nothing when it dies: written',
    },
  },
  {
    name: 'group-moved-while-open',
    why: 'What is written to a group while it moves to another shard would be lost.',
    file: 'packages/coordinator/src/redis/migration/move-group.ts',
    from: 'if (closing) await store.run',
    to: 'if (!closing) await store.run',
    killer: {
      test: 'packages/coordinator/src/redis/migration/mover.test.ts',
      case: 'moving a group > goes on where it was cut off: closed',
    },
  },
  {
    name: 'redis-more-pages-than-allowed',
    why: 'A crawl, site or host would exceed its limit of pages.',
    file: 'packages/coordinator/src/redis/lua/lease.lua',
    from: 'if granted >= pages then',
    to: 'if granted > pages then',
    killer: suite('limits > never has more pages done than the ceiling, and grants more where some fail'),
  },
  {
    name: 'redis-epoch-unchanged',
    why: 'A restored Redis would accept reports that leave out links it has forgotten.',
    file: 'packages/coordinator/src/redis/client/store-epoch.ts',
    from: '      runs.set(address, run);\n      count++;',
    to: '      runs.set(address, run);',
    killer: {
      test: `${redis}/epochs.test.ts`,
      case: 'a server that went back in time takes no trimmed report, however often it is sent',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'redis-deletion-leaves-queues',
    why: 'A deleted crawl would keep its queues in the store for ever.',
    file: 'packages/coordinator/src/redis/keys.ts',
    from: '(?:$|[a-z]|[01]:)/s.exec(key)',
    to: '(?:$|[a-z])/s.exec(key)',
    killer: erasing,
  },
  {
    name: 'redis-deleted-crawl-reopened',
    why: 'A coordinator that is late would bring a deleted crawl back, and nobody would ever erase it.',
    file: 'packages/coordinator/src/redis/lua/register.lua',
    from: "if ARGV[4] ~= '' and nonce ~= ARGV[4] then",
    to: 'if false then',
    killer: erasing,
  },
  {
    name: 'redis-deleted-crawl-holds-hosts',
    why: 'Other crawls would wait for hosts of a deleted crawl until its leases run out.',
    file: 'packages/coordinator/src/redis/lua/report.lua',
    from: 'if h.hc and not crawl(h.hc) and close',
    to: 'if false and close',
    killer: erasing,
  },
];
