import type { Mutant } from './mutant.ts';

const coordinator = 'packages/coordinator/src';
const onSqlite = `${coordinator}/frontier/sqlite/sqlite-frontier.test.ts`;
const onRedis = `${coordinator}/frontier/redis/redis-frontier.test.ts`;
const sweep = `${coordinator}/crawl/scope-sweep.test.ts`;

/** Searches of URLs, what is retried and dropped by filter, and edits of jobs. */
export const urlMutants: readonly Mutant[] = [
  {
    name: 'leased-shown-as-queued',
    why: 'A URL in flight would be listed twice, and dropped while it is fetched.',
    file: `${coordinator}/frontier/sqlite/queue-walk.ts`,
    from: 'const row = leased.has(entry) ? undefined : store.entries.get(entry);',
    to: 'const row = store.entries.get(entry);',
    killer: { test: onSqlite, case: 'searches of URLs > finds every known URL in its state' },
  },
  {
    name: 'search-goes-by-number',
    why: 'URLs would be missing from a list while the front of their queue is leased.',
    file: `${coordinator}/frontier/redis/context/queue-reader.ts`,
    from: "const first = place.mark === '' ? place.index : Math.max(0, place.index - lookedBack);",
    to: "place.mark = '';\n    const first = place.index;",
    killer: { test: onRedis, case: 'searches of URLs > finds what stays queued while the front' },
  },
  {
    name: 'drop-removes-from-the-front',
    why: 'Other URLs than those that were meant would leave the queue.',
    file: `${coordinator}/redis/lua/drop.lua`,
    from: "call('LREM', list, text(#entries), '')",
    to: "call('LTRIM', list, text(#entries), '-1')",
    killer: { test: onRedis, case: 'searches of URLs > drops the rest of a long queue in steps' },
  },
  {
    name: 'seeds-leave-the-scope',
    why: 'A pattern that fits a seed would end the crawl.',
    file: `${coordinator}/crawl/scope-refusal.ts`,
    from: 'if (depth === 0) return undefined;',
    to: '',
    killer: { test: sweep, case: 'leaves the seeds alone' },
  },
  {
    name: 'preview-forgets-what-returns',
    why: 'A wider scope would be said to bring nothing back, and then queue thousands of URLs.',
    file: `${coordinator}/crawl/scope-preview.ts`,
    from: "(part === 'q' ? { part: 'r', after: '' } : undefined);",
    to: 'part.length > 1 ? { part, after: part } : undefined;',
    killer: {
      test: `${coordinator}/crawl/scope-preview.test.ts`,
      case: 'says what a sweep then does, for every scope after another',
    },
  },
  {
    name: 'preview-looks-at-one-page',
    why: 'Of a long queue only the first URLs would be counted, and the figure called exact.',
    file: `${coordinator}/crawl/scope-preview.ts`,
    from: 'at = page.next === undefined ? following(part)',
    to: "at = part === 'q' || page.next === undefined ? following(part)",
    killer: {
      test: `${coordinator}/crawl/scope-preview.test.ts`,
      case: 'says what a sweep then does, for every scope after another',
    },
  },
  {
    name: 'preview-of-an-older-version',
    why: 'A person would confirm what was counted for another job than the one that is edited.',
    file: `${coordinator}/api/families/urls.ts`,
    from: 'if (version !== undefined && version !== entry.version) throw changedMeanwhile(entry);',
    to: '',
    killer: {
      test: `${coordinator}/crawl-directory.test.ts`,
      case: 'shows what another scope would do, and changes nothing',
    },
  },
  {
    name: 'previews-fill-the-audit-log',
    why: 'Who changed something would be hard to find among thousands of steps of a preview.',
    file: `${coordinator}/api/http/app.ts`,
    from: ' && !route.changesNothing && principal',
    to: ' && principal',
    killer: { test: `${coordinator}/api/http/app.test.ts`, case: 'reports every change that succeeded' },
  },
  {
    name: 'sweep-without-a-claim',
    why: 'All coordinators of a store would look through the same queue at once.',
    file: `${coordinator}/crawl/scope-sweep.ts`,
    from: 'if (claimed && !(await claimed.claim(CLAIM_MS))) {',
    to: 'if (claimed && !(await claimed.claim(CLAIM_MS)) && false) {',
    killer: { test: sweep, case: 'waits for another coordinator' },
  },
  {
    name: 'moves-before-a-trouble-not-counted',
    why: 'The history of an edit would say that nothing was dropped where everything was.',
    file: `${coordinator}/crawl/scope-sweep.ts`,
    from: 'const anywhere = {};',
    to: 'const anywhere = {};\n    moved = { dropped: 0, restored: 0 };',
    killer: { test: sweep, case: 'counts what it moved before a trouble of the store' },
  },
  {
    name: 'edit-of-an-older-version',
    why: 'Of two edits made at once the second would undo the first.',
    file: `${coordinator}/catalog/crawl-entry.ts`,
    from: 'if (version !== entry.version) throw changedMeanwhile(entry);',
    to: '',
    killer: {
      test: `${coordinator}/catalog/crawl-entry.test.ts`,
      case: 'refuses an edit of an older version',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'taken-up-job-kept-in-folder',
    why: 'The same in the folder of a coordinator.',
    file: `${coordinator}/own-crawls/own-crawls.ts`,
    from: 'const isSame = (how.fromCatalog || JSON.stringify(entry.job) === JSON.stringify(job)) && !entry.unbegun;\n    const begun = { ...(how.fromCatalog ? {} : { job }), unbegun: false };',
    to: 'const isSame = JSON.stringify(entry.job) === JSON.stringify(job) && !entry.unbegun;\n    const begun = { job, unbegun: false };',
    killer: {
      test: `${coordinator}/edited-meanwhile.test.ts`,
      case: 'in the folder of one coordinator',
    },
  },
];
