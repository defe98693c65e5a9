import type { Mutant } from './mutant.ts';

const redis = 'packages/coordinator/src/frontier/redis';
const lua = 'packages/coordinator/src/redis/lua';
const visits = `${redis}/context/group-visits`;
const places = `${redis}/context/places.test.ts`;
const atRest = 'what another process does in a group at rest is found by the next sweep';

/** Upkeep passes over groups that have not changed (F22): what it must not pass over. */
export const visitMutants: readonly Mutant[] = [
  {
    name: 'visits-change-untold',
    why: 'What another process did in a group at rest would be found minutes later.',
    file: `${lua}/base/index.lua`,
    from: '      if m.touched then\n        note_change()\n      end\n',
    to: '',
    killer: { test: places, case: atRest },
  },
  {
    name: 'visits-told-too-seldom',
    why: 'A change soon after one that was told would never be told, and visits would not wait for it.',
    file: `${lua}/base/index.lua`,
    from: 'local told_for = 250',
    to: 'local told_for = 25000',
    killer: { test: places, case: atRest },
  },
  {
    name: 'visits-too-early',
    why: 'A visit right after a change would count, and what follows within 250 ms would be missed.',
    file: `${visits}.ts`,
    from: 'const toldForMs = 1_000;',
    to: 'const toldForMs = 0;',
    killer: {
      test: `${visits}.test.ts`,
      case: 'a group is visited until a visit was late enough to have seen all of its last change',
    },
  },
  {
    name: 'visits-left-undone',
    why: 'Links that were too young for one sweep would wait for the next change of their group.',
    file: `${visits}.ts`,
    from: 'if (left) at.crawls.delete(c);',
    to: 'if (left && at.lastVisit < 0) at.crawls.delete(c);',
    killer: {
      test: `${redis}/outbox.test.ts`,
      case: 'a sweep delivers links that were too young for the sweeps before, though nothing has changed since',
    },
  },
  {
    name: 'visits-new-crawl-unseen',
    why: 'A crawl that a process hears of after its visit would have to wait for a change of the group.',
    file: `${visits}.ts`,
    from: 'if (crawls.every(sawAll))',
    to: 'if (crawls.some(sawAll))',
    killer: {
      test: `${visits}.test.ts`,
      case: 'a group is visited again for a crawl that was not looked at, and not for one that is gone',
    },
  },
  {
    name: 'visits-no-turn',
    why: 'What a coordinator of the version before changes would never be found by a sweep.',
    file: `${visits}.ts`,
    from: 'calm.slice(0, Math.ceil(calm.length / visitsOf))',
    to: 'calm.slice(0, 0)',
    killer: { test: `${visits}.test.ts`, case: 'each group has its turn within a hundred looks' },
  },
];
