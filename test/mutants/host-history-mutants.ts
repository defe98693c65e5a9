import type { Mutant } from './mutant.ts';

const folder = 'packages/coordinator/src/history';
const tests = { test: `${folder}/host-history.test.ts` };
const sampler = 'packages/coordinator/src/crawl/host-sampler';
const map = 'packages/console/browser/hosts/heat-map';

/** What is counted and drawn of hosts: figures that are another host's, or that look whole and are not. */
export const hostHistoryMutants: readonly Mutant[] = [
  {
    name: 'host-sums-of-held-hosts',
    why: 'A host whose last URLs are in progress would be shown as if nothing of it had been fetched.',
    file: 'packages/coordinator/src/crawl/crawl-hosts.ts',
    from: '...sums.get(wait.host), ...wait',
    to: '...wait',
    killer: {
      test: 'packages/coordinator/src/crawl/crawl-hosts.test.ts',
      case: 'also of those that only workers know',
    },
  },
  {
    name: 'host-map-of-another-host',
    why: 'A host that took the place of another would be shown with the pages of that one.',
    file: `${folder}/host-samples.ts`,
    from: 'if (slot < from) return whole ? { pages: 0, troubles: 0 } : undefined;',
    to: '',
    killer: { ...tests, case: 'without telling its pages as those of the other' },
  },
  {
    name: 'host-map-made-up-beginning',
    why: 'Pages that a host had before it was followed would be drawn as pages of one step.',
    file: `${folder}/next-roster.ts`,
    from: 'whole: known.pages === fresh',
    to: 'whole: true',
    killer: { test: `${sampler}.test.ts`, case: 'tells those of which it does not know all' },
  },
  {
    name: 'host-map-of-a-late-look',
    why: 'Of two coordinators, one with an older list of hosts would write pages to the places of others.',
    file: 'packages/coordinator/src/redis/lua/host-sample.lua',
    from: "if (call('HGET', key, 'v') or '0') ~= ARGV[5] or slot ~= num(ARGV[6]) then",
    to: 'if slot ~= num(ARGV[6]) then',
    killer: { ...tests, case: 'history of hosts: Redis > keeps one sample of a slot' },
  },
  {
    name: 'host-map-names-forgotten-hosts',
    why: 'A host that was deleted on request would still be named beside its pages.',
    file: `${folder}/sqlite-host-history.ts`,
    from: 'if (hosts.length > 0) write(row, version, rosterText(others));',
    to: '',
    killer: {
      ...tests,
      case: 'SQLite, and another process that reads the file > keeps nothing that names a forgotten host',
    },
  },
  {
    name: 'host-map-unknown-as-none',
    why: 'Steps that nobody recorded would look like steps in which a host did nothing.',
    file: `${map}.ts`,
    from: 'pages: before === null || after === null ? null :',
    to: 'pages: before === null || after === null ? 0 :',
    killer: { test: `${map}.test.ts`, case: 'never takes what was not recorded for nothing' },
  },
];
