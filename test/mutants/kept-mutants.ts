import type { Mutant } from './mutant.ts';

const bodies = (name: string) => ({ test: 'packages/cli/src/local/recrawl-bodies.test.ts', case: name });
const pipeline = (name: string) => ({ test: 'packages/worker/src/page/pipeline.test.ts', case: name });
const previous = 'packages/coordinator/src/folder/previous-crawl.ts';

/** What is kept of an answer, and what of it a recrawl may leave out. */
export const keptMutants: readonly Mutant[] = [
  {
    name: 'unchanged-and-never-kept',
    why: 'A recrawl that is the first to archive would hold references to bodies that nobody saved.',
    file: previous,
    from: 'return keepers(now).every((keeper) => kept.has(keeper));',
    to: 'return keepers(now).every((keeper) => kept.has(keeper) || keeper !== "");',
    killer: bodies('what the crawl before did not keep is fetched whole, and stored'),
  },
  {
    name: 'cut-pages-stay-cut',
    why: 'Links behind the cut of a page would never be found, however large the limit of the next crawl is.',
    file: previous,
    from: 'hasSameItems && keepsSame && record.truncated === undefined',
    to: 'hasSameItems && keepsSame',
    killer: bodies('a page that was cut is fetched again, with the links behind the cut'),
  },
  {
    name: 'unchanged-noarchive-is-archived',
    why: 'The archive would refer to a capture that the page asked not to be made.',
    file: 'packages/worker/src/page/pipeline.ts',
    from: 'work.keep &&= !notedSignals(',
    to: 'work.keep ||= !notedSignals(',
    killer: bodies('what says noarchive is not kept'),
  },
  {
    name: 'reference-to-a-reference',
    why: 'Other tools would find no body for a page that had the bytes of another one in the crawl before.',
    file: previous,
    from: '...(capturedUrl === url ? {} : { capturedUrl })',
    to: '...(capturedUrl !== url ? {} : { capturedUrl })',
    killer: bodies('a page with the bytes of another one refers to that one, also in the next crawl'),
  },
  {
    name: 'body-by-the-name-of-another',
    why: 'An unchanged page would be shown as what another page with the same bytes has become.',
    file: 'packages/worker/src/stored/stored-exchange.ts',
    from: 'await earlier(facts.url)',
    to: 'await earlier(at.revisit.url)',
    killer: bodies('its body is found also where the page that it refers to is gone meanwhile'),
  },
  {
    name: 'checked-links-are-captures',
    why: 'Replays and mirrors would show an empty page in place of each link that was only checked.',
    file: 'packages/worker/src/page/pipeline.ts',
    from: "entry.kind !== 'check' &&",
    to: "entry.kind !== 'sitemap' &&",
    killer: pipeline('is nothing of a link that was only asked whether it is there'),
  },
  {
    name: 'noarchive-of-pages-only',
    why: 'An image or an error page that says noarchive would be archived.',
    file: 'packages/worker/src/page/seen-facts.ts',
    from: 'return !signals.noarchive;',
    to: 'return !signals.noarchive || true;',
    killer: pipeline('whose header says noarchive, and the record says why'),
  },
  {
    name: 'queries-always-utf-8',
    why: 'Searches and lists of sites in an older encoding would be asked for words that they do not know.',
    file: 'packages/worker/src/page/document.ts',
    from: 'normalise(withQueryIn(name(), href), base)',
    to: "normalise(withQueryIn('utf-8', href), base)",
    killer: pipeline('a query is asked for in the encoding of its page'),
  },
  {
    name: 'late-fields-have-no-column',
    why: 'A field that only later items have would be missing from the table without a word.',
    file: 'packages/cli/src/folder/items-csv.ts',
    from: 'for await (const { item } of rows)\n    for',
    to: 'for await (const { item } of rows)\n    if (columns.size === 0) for',
    killer: {
      test: 'packages/cli/src/folder/items-csv.test.ts',
      case: 'a field that only a late item has is a column like any other',
    },
  },
  {
    name: 'compressible-is-a-bomb',
    why: 'A table of many alike rows would lose its end though it is far below the limit of the job.',
    file: 'packages/worker/src/bytes/decode.ts',
    from: 'const cap = limits.maxBytes;',
    to: 'const cap = Math.min(limits.maxBytes, Math.max(freeBytes, body.length * 200));',
    killer: {
      test: 'packages/worker/src/bytes/decode.test.ts',
      case: 'that stays below the limit is read whole',
    },
  },
  {
    name: 'password-to-another-origin',
    why: 'A login form that answers 307 could take name and password to an address that nobody allowed.',
    file: 'packages/worker/src/site-login/form-login.ts',
    from: 'if (again && originOf(to as Url) !== originOf(url))',
    to: "if (again && originOf(to as Url) === '')",
    killer: {
      test: 'packages/worker/src/site-login/form-login.test.ts',
      case: 'takes the password to no other origin',
    },
  },
  {
    name: 'unchanged-wipes-redis',
    why: 'A recrawl would empty the hash of every page that has not changed.',
    file: 'packages/worker/src/save/redis/redis-saver.ts',
    from: 'if (page.status === 304) {',
    to: 'if (page.status === 1304) {',
    killer: { proof: 'kept', args: ['--quick', '--only', 'redis'], field: 'lost' },
  },
  {
    name: 'other-savers-drop-what-is-unchanged',
    why: 'A crawl that begins to keep files would have none of the pages that did not change.',
    file: previous,
    from: "return 'warc' in options ? ['warc'] : [JSON.stringify(options)];",
    to: "return 'warc' in options ? ['warc'] : [];",
    killer: { proof: 'kept', args: ['--quick', '--only', 'changing'], field: 'lost' },
  },
];
