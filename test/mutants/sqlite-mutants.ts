import type { Mutant } from './mutant.ts';

const sqlite = 'packages/coordinator/src/frontier/sqlite';
const suite = (name: string) => ({
  test: `${sqlite}/sqlite-frontier.test.ts`,
  case: `frontier: SQLite in memory > ${name}`,
});

/** The frontier in one file. */
export const sqliteMutants: readonly Mutant[] = [
  {
    name: 'sqlite-late-reports-accepted',
    why: 'A worker whose lease ran out would settle URLs that another worker is fetching.',
    file: `${sqlite}/leasing.ts`,
    from: 'if (crawl.key !== ref.crawl || store.clock.now() >= found.deadline) return undefined;',
    to: 'if (crawl.key !== ref.crawl) return undefined;',
    killer: suite('leases and clocks > answers late and repeated reports and changes nothing'),
  },
  {
    name: 'sqlite-no-fence',
    why: 'A report of an earlier lease would change the lease that replaced it.',
    file: `${sqlite}/leasing.ts`,
    from: ' || found.fence !== ref.fence || leaseId(found.fence) !== ref.id',
    to: '',
    killer: suite('leases and clocks > answers late and repeated reports and changes nothing'),
  },
  {
    name: 'sqlite-host-free-at-deadline',
    why: 'A frozen worker could still be talking to a host that another worker is given.',
    file: `${sqlite}/leasing.ts`,
    from: 'heldUntil: now + leaseTtlMs + maxFetchMs + gapMs',
    to: 'heldUntil: now + leaseTtlMs',
    killer: suite('leases and clocks > an expired lease gives its URLs back but the host stays held'),
  },
  {
    name: 'sqlite-early-finish',
    why: 'The crawl would finish while pages are still being fetched, and their links would be lost.',
    file: `${sqlite}/sqlite-frontier.ts`,
    from: 'counters.queued + counters.leased + seeders > 0',
    to: 'counters.queued + seeders > 0',
    killer: suite('life of a crawl > finishes only when nothing is queued, leased or being seeded'),
  },
  {
    name: 'sqlite-no-gap-after-restart',
    why: 'A crawl that crashes and restarts would contact each host again at once.',
    file: `${sqlite}/sqlite-frontier.ts`,
    from: "if (until > host.notBefore) Object.assign(host, { notBefore: until, why: 'gap', dirty: true });",
    to: 'void until;',
    killer: suite('life of a crawl > releases all leases and holds at once, for one gap'),
  },
  {
    name: 'sqlite-dropped-links',
    why: 'The first link of each page would never be fetched, and the counts would still add up.',
    file: `${sqlite}/settling.ts`,
    from: 'return offerAll(store, crawl, { offers, parent: entryId });',
    to: 'return offerAll(store, crawl, { offers: offers.slice(1), parent: entryId });',
    killer: suite('leases and clocks > settling twice within a lease changes nothing'),
  },
  {
    name: 'sqlite-short-gap',
    why: 'Hosts would be contacted twice as often as promised.',
    file: `${sqlite}/reporting.ts`,
    from: 'delay(host, end + news.gapMs, news.why);',
    to: 'delay(host, end + news.gapMs / 2, news.why);',
    killer: suite('leases and clocks > keeps the gap after the end of a request'),
  },
  {
    name: 'sqlite-no-host-budget',
    why: 'A trap would fill the queue without end.',
    file: `${sqlite}/offering.ts`,
    from: 'if (spent) {',
    to: 'if (spent && store.hosts === undefined) {',
    killer: suite("limits > grants no more than a host's budget and settles the rest of its queue"),
  },
  {
    name: 'sqlite-unfair-turns',
    why: 'Of two crawls that share a host, the second would wait until the first is finished.',
    file: `${sqlite}/granting.ts`,
    from: 'if (a.turn !== b.turn) return a.turn < b.turn;',
    to: '',
    killer: suite('leases and clocks > crawls take turns on a host, and the larger gap counts for both'),
  },
  {
    name: 'sqlite-seeding-ignored',
    why: 'A crawl would finish while its seeds are still being read.',
    file: `${sqlite}/sqlite-frontier.ts`,
    from: 'counters.queued + counters.leased + seeders > 0',
    to: 'counters.queued + counters.leased > 0',
    killer: suite('life of a crawl > finishes only when nothing is queued, leased or being seeded'),
  },
  {
    name: 'sqlite-answers-before-commit',
    why: 'Results that were reported as stored would be gone after a kill.',
    file: `${sqlite}/commit-queue.ts`,
    from: "      db.exec('COMMIT');",
    to: "      setImmediate(() => db.isTransaction && db.exec('COMMIT'));",
    killer: {
      test: `${sqlite}/commit-queue.test.ts`,
      case: 'answers only when others see what was committed',
    },
  },
  {
    name: 'sqlite-synchronous-off',
    why: 'Results that were reported as stored would be gone after a power cut.',
    file: `${sqlite}/schema.ts`,
    from: 'PRAGMA synchronous = FULL;',
    to: 'PRAGMA synchronous = FULL; PRAGMA synchronous = OFF;',
    killer: { proof: 'power-cut', args: ['--local', '--quick'], field: 'lost' },
  },
];
