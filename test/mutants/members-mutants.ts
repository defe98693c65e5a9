import type { Mutant } from './mutant.ts';

const members = 'packages/coordinator/src/members';
const shares = `${members}/worker-shares.test.ts`;

/** How coordinators share out their workers. */
export const membersMutants: readonly Mutant[] = [
  {
    name: 'workers-hoarded',
    why: 'A crawl without work would keep its workers while another crawl has work and no worker.',
    file: `${members}/worker-shares.ts`,
    from: 'const wanting = loads.filter(({ capacity, wants }) => capacity > 0 && wants > 0);',
    to: 'const wanting = loads.filter(({ capacity }) => capacity > 0);',
    more: [
      {
        file: `${members}/worker-shares.ts`,
        from: 'const part = load.capacity > 0 && load.wants > 0 ? parts',
        to: 'const part = load.capacity > 0 ? parts',
      },
    ],
    killer: {
      test: shares,
      case: 'takes all workers from a crawl that has nothing to do, and none when nobody has',
    },
  },
  {
    name: 'small-crawl-starved',
    why: 'A crawl with a small share would never get a worker beside large ones.',
    file: `${members}/worker-shares.ts`,
    from: 'if (demand.size <= workers) giveEachOne(shares, demand, workers);',
    to: 'if (demand.size > workers) giveEachOne(shares, demand, workers);',
    killer: { test: shares, case: 'gives every crawl with work a worker where there are enough' },
  },
];
