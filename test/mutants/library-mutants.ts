import type { Mutant } from './mutant.ts';

const frontier = 'packages/coordinator/src/frontier';
const cli = 'packages/cli/src';
const library = (name: string) => ({ test: 'test/library/library.test.ts', case: `crawl() > ${name}` });
const labels = (name: string) => ({ test: 'test/library/labels.test.ts', case: name });

/** Labels and handlers of the user's own code, and results that claim to be whole. */
export const libraryMutants: readonly Mutant[] = [
  {
    name: 'sitemap-hook-fails-a-page',
    why: 'A normalise that fails on a sitemap of robots.txt would fail the page that was asked for first.',
    file: 'packages/worker/src/session/permits.ts',
    from: 'if (!(error instanceof HookError)) throw error;',
    to: 'if (error !== undefined) throw error;',
    killer: {
      test: 'test/library/own-code.test.ts',
      case: 'a normalise that throws on a sitemap of robots.txt',
    },
  },
  {
    name: 'late-labels-lost',
    why: 'A shop with a sitemap would yield no items.',
    file: 'packages/coordinator/src/crawl/job/crawl-settings.ts',
    from: 'upgrades: ownCode ||',
    to: "upgrades: job.name === '' ||",
    killer: labels('yields each product exactly once with a sitemap that lists products first'),
  },
  {
    name: 'sqlite-label-of-settled-url-lost',
    why: 'A page that was visited before its label was known would never reach the labelled handler.',
    file: `${frontier}/sqlite/upgrading.ts`,
    from: "if (record?.reason === 'poison') return;",
    to: 'if (record) return;',
    killer: {
      test: `${frontier}/sqlite/sqlite-frontier.test.ts`,
      case: 'upgrades > visits a page that is done once more, and only that visit is recorded',
    },
  },
  {
    name: 'sqlite-label-of-leased-url-lost',
    why: 'A label that comes while its page is fetched would be recorded for a visit without it.',
    file: `${frontier}/sqlite/reporting.ts`,
    from: 'if (live.hold.again.has(row.id)) {',
    to: 'if (live.hold.again.has(-row.id)) {',
    killer: {
      test: `${frontier}/sqlite/sqlite-frontier.test.ts`,
      case: 'upgrades > visits a page once more when the label comes while it is leased',
    },
  },
  {
    name: 'redis-label-of-queued-url-lost',
    why: 'A page queued without its label would be handed out without it.',
    file: 'packages/coordinator/src/redis/lua/base/upgrades.lua',
    from: 'if wished and is_entry(wished) then',
    to: 'if wished and not is_entry(wished) then',
    killer: {
      test: `${frontier}/redis/redis-frontier.test.ts`,
      case: 'upgrades > gives a queued URL the label that a later offer has',
    },
  },
  {
    name: 'redis-record-of-unlabelled-visit-kept',
    why: 'A page that is visited once more would be recorded twice.',
    file: 'packages/coordinator/src/redis/lua/base/upgrades.lua',
    from: "if call('XDEL', P .. m.c .. 'r', id) == 0 then",
    to: "if call('XLEN', P .. m.c .. 'r') == 0 then",
    killer: {
      test: `${frontier}/redis/redis-frontier.test.ts`,
      case: 'upgrades > visits a page that is done once more, and only that visit is recorded',
    },
  },
  {
    name: 'handler-bug-is-a-retry',
    why: 'One bug in a handler would be several requests to the site.',
    file: 'packages/worker/src/page/pipeline.ts',
    from: "return ended(options, 'failed', trouble.reason, trouble.detail, { ...seen, ...kept });",
    to: "return entry.attempt < 1 ? { kind: 'retry', url: entry.url, reason: 'handler' } : ended(options, 'failed', trouble.reason, trouble.detail, { ...seen, ...kept });",
    killer: library('runs a handler that throws once more without another request'),
  },
  {
    name: 'handler-replaced-by-links',
    why: 'A retry from the command line would mark pages done without their items.',
    file: `${cli}/commands/network/retry.ts`,
    from: 'if (reader.ownCode) throw',
    to: "if (reader.ownCode && folder === '') throw",
    more: [
      {
        file: 'packages/coordinator/src/crawl/open-crawl.ts',
        from: 'if (before?.ownCode && !given.ownCode) throw',
        to: "if (before?.ownCode && folder === '') throw",
      },
    ],
    killer: library('keeps the command line out of a crawl whose handler it does not have'),
  },
  {
    name: 'refused-seed-is-silent',
    why: 'A crawl that was not allowed to read anything would end like one that found nothing.',
    file: `${cli}/library.ts`,
    from: "if (state !== 'finished' || pages > 0 || first === undefined) return summary;",
    to: "if (state !== 'limited' || pages > 0 || first === undefined) return summary;",
    killer: {
      ...library('throws when no page of the seeds may be read, and names the reason'),
      says: 'instead of rejecting',
    },
  },
  {
    name: 'partial-export-looks-whole',
    why: 'An export without the results of another process would be taken for everything.',
    file: `${cli}/folder/completeness.ts`,
    from: 'if (absent.length === 0 && (written',
    to: 'if (absent.length >= 0 && (written',
    more: [{ file: `${cli}/folder/completeness.ts`, from: 'written.count >= all', to: 'written.count >= 0' }],
    killer: {
      test: `${cli}/shared.test.ts`,
      case: 'results beyond the backlog go to files, and whoever lacks them is told where they are',
    },
  },
  {
    name: 'partial-archive-looks-whole',
    why: 'A WACZ with half of the captures would be taken for the whole archive.',
    file: `${cli}/folder/completeness.ts`,
    from: 'if (elsewhere.size === 0) return;',
    to: 'if (elsewhere.size >= 0) return;',
    killer: {
      test: `${cli}/shared.test.ts`,
      case: 'an archive of one folder says how many captures are in others',
    },
  },
  {
    name: 'threshold-missed-only-once',
    why: 'A missed threshold would pass when the same command is run again.',
    file: `${cli}/crawling/run-crawl.ts`,
    from: 'if (plan.items !== undefined) await exportItems(context, plan.open.folder, plan.items);\n  return exit;',
    to: 'if (plan.items !== undefined) await exportItems(context, plan.open.folder, plan.items);\n  return 0 * exit;',
    killer: {
      test: `${cli}/crawling/run-crawl.test.ts`,
      case: 'a threshold that a finished crawl missed is missed at every run',
    },
  },
];
