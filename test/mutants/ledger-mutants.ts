import type { Mutant } from './mutant.ts';

const ledger = 'packages/coordinator/src/ledger/sqlite-ledger';
const sqlite = 'packages/coordinator/src/frontier/sqlite';
const alone = (name: string) => ({ test: `${ledger}.test.ts`, case: `the host ledger > ${name}` });
const between = (name: string) => ({ test: `${sqlite}/claims.test.ts`, case: name });

/** The host ledger, and how a frontier asks it. */
export const ledgerMutants: readonly Mutant[] = [
  {
    name: 'ledger-not-asked',
    why: 'Two crawls in two terminals would contact a host at the same time.',
    file: `${sqlite}/granting.ts`,
    from: 'if (!claims(store, pair.host, pair.crawl)) {',
    to: 'if (store.hosts === undefined) {',
    killer: between(
      'two crawls with one host ledger > never hold a host at once, and the second asks again soon, not when the first may be dead',
    ),
  },
  {
    name: 'ledger-single-host-not-asked',
    why: 'A worker that reads the robots.txt of another host would disturb a crawl of that host.',
    file: `${sqlite}/granting.ts`,
    from: 'if (!claims(store, host, crawl)) return',
    to: 'if (host.notBefore < 0) return',
    killer: between('two crawls with one host ledger > ask the ledger for a single host too'),
  },
  {
    name: 'ledger-places-forgotten',
    why: 'Crawls that are opened last after each restart would have the fewest turns.',
    file: 'packages/coordinator/src/ledger/waiting-line.ts',
    from: 'if (waited !== undefined) putWaiter.run(host, owner, now, now, team);',
    to: "if (waited !== undefined) db.prepare('DELETE FROM waiters WHERE host = ? AND owner = ?').run(host, owner);",
    killer: alone('after a break serves first whose last turn was longest ago, whoever asks first'),
  },
  {
    name: 'ledger-no-rest',
    why: 'A host would be contacted by another crawl the moment the first has finished with it.',
    file: `${ledger}.ts`,
    from: 'const free = own ? 0 : freeAt(row, terms.gapMs);',
    to: 'const free = own ? 0 : row.last_end === -1 ? freeAt(row, terms.gapMs) : 0;',
    killer: alone('keeps the rest that the last contact asked for, and the larger gap of two'),
  },
  {
    name: 'ledger-no-turns',
    why: 'The crawl that has a host would keep it until it is finished, and the others would starve.',
    file: `${ledger}.ts`,
    from: 'if (!line.takesTurn(',
    to: 'if (now < 0 && !line.takesTurn(',
    killer: alone('lets owners take turns, first come, first served'),
  },
  {
    name: 'ledger-dead-owe-nothing',
    why: 'After a crash, another crawl would contact the hosts that the dead one was just talking to.',
    file: `${ledger}.ts`,
    from: 'not_before = max(not_before, :now + gap)',
    to: 'not_before = max(not_before, :now + gap * 0)',
    killer: alone('makes the hosts of a dead process owe one gap, and nothing to those it had released'),
  },
  {
    name: 'ledger-released-though-undone',
    why: 'A lease whose end could not be stored would live on while another crawl has its host.',
    file: `${sqlite}/claims.ts`,
    from: '      ending.set(host.key, restOf(host, now));',
    to: '      ledger.release(owner, [restOf(host, now)]);',
    killer: between(
      'a commit that fails > takes the claims of its grants back, and keeps those of leases that live on',
    ),
  },
  {
    name: 'ledger-claims-leak',
    why: 'After a commit that failed, no crawl could have the host until the claim has run out.',
    file: `${sqlite}/claims.ts`,
    from: '      if (rests.length > 0) tell(() => ledger.release(owner, rests));',
    to: '      void rests;',
    killer: between(
      'a commit that fails > takes the claims of its grants back, and keeps those of leases that live on',
    ),
  },
];
