import type { Mutant } from './mutant.ts';

const coordinator = 'packages/coordinator/src';
const lua = `${coordinator}/redis/lua`;
const killer = (name: string) => ({
  test: `${coordinator}/frontier/redis/orders.test.ts`,
  case: `changes of a crawl > ${name}`,
});

/** The order of changes of a crawl in a store. */
export const orderMutants: readonly Mutant[] = [
  {
    name: 'order-older-accepted',
    why: 'A pause that a resume overtook would leave hosts that nobody ever leases.',
    file: `${lua}/open.lua`,
    from: 'if before and order < before.order then',
    to: 'if before and order < 0 then',
    killer: killer('leave no group paused where a resume overtakes the pause before it'),
  },
  {
    name: 'order-wish-not-compared',
    why: 'Of two operators the one with the slower coordinator would win.',
    file: `${lua}/crawl/state.lua`,
    from: 'if not wish or wish >= last then',
    to: 'if last then',
    killer: killer('are the wish that came last, whichever of two wishes reaches the store first'),
  },
  {
    name: 'order-not-told-again',
    why: 'A coordinator that dies while it resumes a crawl would leave parts of it paused.',
    file: `${coordinator}/frontier/redis/sweeping.ts`,
    from: '      await tellLate(context);\n',
    to: '',
    killer: killer('reach all groups although whoever made one died on the way'),
  },
  {
    name: 'order-not-raised',
    why: 'After a restore, groups would refuse every change until the store has caught up with their number.',
    file: `${lua}/crawl/told.lua`,
    from: 'if num(ARGV[3]) > order then',
    to: 'if num(ARGV[3]) < 0 then',
    killer: killer('are taken by groups that are ahead of a store which went back in time'),
  },
  {
    name: 'order-older-settings-accepted',
    why: 'A coordinator that read the catalog before an edit would take the edit back.',
    file: `${lua}/register.lua`,
    from: 'local late = edit and edit < last',
    to: 'local late = edit and edit < 0',
    killer: killer('do not bring back the settings of an older entry'),
  },
  {
    name: 'order-tombstones-from-a-copy',
    why: 'A host would come back when another one is forgotten elsewhere.',
    file: `${lua}/crawl/bar.lua`,
    from: 'if list == ARGV[2] then',
    to: 'if list then',
    killer: killer('do not bring back a host that another process has forgotten'),
  },
  {
    name: 'order-queue-written-by-place',
    why: 'URLs would be lost, and others be there twice, while the counts add up.',
    file: `${lua}/rewrite-queue.lua`,
    from: "if call('LINDEX', list, ARGV[i]) == ARGV[i + 1] then",
    to: "if call('LINDEX', list, ARGV[i]) then",
    killer: killer('lose no URL of a queue that is rewritten while another process has the crawl resumed'),
  },
];
