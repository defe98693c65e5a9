import type { Change } from '../faults/changed-source.ts';

const members = 'packages/coordinator/src/members';

/** Shares as they were without demand: every coordinator counts alike, and only when coordinators come or go. */
export const oldShares: Change[] = [
  {
    file: 'packages/coordinator/src/network/network-member.ts',
    from: 'const wants = () => (isLeaving() ? 0 : options.wants());',
    to: 'const wants = () => 1_000;',
  },
  {
    file: 'packages/coordinator/src/network/network-member.ts',
    from: '      leaving = true;\n',
    to: '',
  },
  {
    file: `${members}/worker-shares.ts`,
    from: 'if (demand.size <= workers) giveEachOne(shares, demand, workers);',
    to: '',
  },
  {
    file: `${members}/worker-shares.ts`,
    from: 'return workers === 0 ? 1 : needy.length / workers;',
    to: 'return Math.min(1, needy.length / (workers + 1));',
  },
  {
    file: `${members}/share-rounds.ts`,
    from: 'if (settled) askForRecount(members, own);\n      else count(members, own);',
    to: 'if (!settled) count(members, own);',
  },
];
