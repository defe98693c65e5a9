import type { Mutant } from './mutant.ts';

/** Only what shows naughty strings: the whole walk takes longer than a mutant may. */
const shown = (field: string) => ({ proof: 'console', args: ['--quick', '--only', 'strings'], field });
const files = 'packages/coordinator/src/console/console-files';
const live = 'packages/console/browser/api/live-documents';
const urls = 'packages/console/browser/urls';
const data = 'packages/console/browser/data';

/** The console: what a person sees is not what is, or more than they should. */
export const consoleMutants: readonly Mutant[] = [
  {
    name: 'job-copy-sends-masks',
    why: 'A job that begins as a copy would send *** as the value of a header.',
    file: 'packages/console/browser/job/first-text.ts',
    from: '([, value]) => !isMask(value)',
    to: '() => true',
    killer: {
      test: 'packages/console/browser/job/first-text.test.ts',
      case: 'takes a job over under another name, without what is hidden and whose it was',
    },
  },

  {
    name: 'job-difference-without-what-is-usual',
    why: 'A limit that was only written out would be told as a change, and a real one as an addition.',
    file: 'packages/console/browser/job/differences.ts',
    from: 'const [a, b] = [before[key] ?? usual, after[key] ?? usual];',
    to: 'const [a, b] = [before[key], after[key]];',
    killer: {
      test: 'packages/console/browser/job/differences.test.ts',
      case: 'knows what holds where nothing was written',
    },
  },
  {
    name: 'job-try-deletes-any-crawl',
    why: 'A crawl that someone gave the tag try would be deleted without a question.',
    file: 'packages/console/browser/job/try-job.ts',
    from: 'tags.includes(tryTag) && /-try-[0-9a-f]{4}$/.test(name);',
    to: 'tags.includes(tryTag);',
    killer: {
      test: 'packages/console/browser/job/try-job.test.ts',
      case: 'knows a try by its tag and its name, so that no other crawl is deleted without a question',
    },
  },
  {
    name: 'schedule-edit-forgets',
    why: 'A change of the time would switch a paused schedule on.',
    file: 'packages/console/browser/schedules/schedule-values.ts',
    from: '    ...before,\n    ...rest,',
    to: '    ...rest,',
    killer: {
      test: 'packages/console/browser/schedules/schedule-values.test.ts',
      case: 'sends what the form holds, and what it does not show as it was',
    },
  },

  {
    name: 'job-form-loses-comments',
    why: 'A change in the form would throw away what a person wrote about the job.',
    file: 'packages/protocol/src/job/edit-text.ts',
    from: 'return at < 0 ? document.createNode(item)',
    to: 'return at < Infinity ? document.createNode(item)',
    killer: {
      test: 'packages/protocol/src/job/edit-text.test.ts',
      case: 'keeps the comments and the order of a section that is written anew',
    },
  },
  {
    name: 'job-form-rewrites-the-text',
    why: 'A change in the form would lay out the whole text anew.',
    file: 'packages/protocol/src/job/edit-text.ts',
    from: 'if (small !== undefined && says(small)) return small;',
    to: '',
    killer: {
      test: 'packages/protocol/src/job/edit-text.test.ts',
      case: 'changes a value and leaves the rest of the text as it was',
    },
  },
  {
    name: 'job-completion-lost-in-lists',
    why: 'In a list of several entries nothing would be offered.',
    file: 'packages/console/browser/job/complete.ts',
    from: '[limit, listLimit] = [column + 1, column];',
    to: '[limit, listLimit] = [column + 1, column + 1];',
    killer: {
      test: 'packages/console/browser/job/complete.test.ts',
      case: 'finds its place in lists, and below a list',
    },
  },

  {
    name: 'console-crawled-markup',
    why: 'A site could put code of its own into the browser of whoever watches the crawl.',
    file: 'packages/console/browser/parts/state-badge.tsx',
    from: '{states[shown]}</span>;',
    // Caught, so that the console goes on and the walk comes to its end.
    to: '{states[shown]}<i ref={(at) => { try { if (at) at.innerHTML = location.search; } catch {} }} /></span>;',
    killer: shown('failures'),
  },
  {
    name: 'console-token-outlives-the-tab',
    why: 'The token would stay on a shared machine when the browser is closed.',
    file: 'packages/console/browser/api/token-keeper.ts',
    from: 'keep: (token) => storage.setItem(key, token),',
    to: 'keep: (token) => (storage.setItem(key, token), lasting.setItem(key, token)),',
    killer: {
      test: 'packages/console/browser/api/token-keeper.test.ts',
      case: 'keeps it nowhere that outlives the tabs',
    },
  },
  {
    name: 'console-old-snapshot-kept',
    why: 'Crawls that were deleted while the connection was lost would be shown for ever.',
    file: `${live}.ts`,
    from: 'const kept = before.isWhole ? [] : before.documents;',
    to: 'const kept = before.documents;',
    killer: { test: `${live}.test.ts`, case: 'forgets everything when a later snapshot begins' },
  },
  {
    name: 'console-limited-is-not-over',
    why: 'Crawls that ended at a limit would be found by no filter.',
    file: 'packages/console/browser/home/crawl-parts.ts',
    from: "over: ['finished', 'limited', 'stopped'],",
    to: "over: ['finished', 'stopped'],",
    killer: {
      test: 'packages/console/browser/home/crawl-parts.test.ts',
      case: 'finds a crawl in any state by one of the filters',
    },
  },
  {
    name: 'console-list-stays-at-its-first-part',
    why: 'Crawls that are created while a person looks at the end of the list would never be shown.',
    file: 'packages/console/browser/home/crawl-parts.ts',
    from: '    // A list that has grown or shrunk has other parts in sight.\n    follow();',
    to: '',
    killer: {
      test: 'packages/console/browser/home/crawl-parts.test.ts',
      case: 'follows what comes into sight when the list shrinks or grows',
    },
  },
  {
    name: 'console-stop-all-stops-a-page',
    why: 'Of thousands of crawls, those behind the first page would run on after everything was stopped.',
    file: 'packages/console/browser/home/stop-crawls.ts',
    from: 'after = page.next;',
    to: 'after = undefined;',
    killer: {
      test: 'packages/console/browser/home/stop-crawls.test.ts',
      case: 'finds every open crawl, page by page, also behind pages that are empty',
    },
  },
  {
    name: 'crawl-parts-of-all-teams',
    why: 'A token of one team would see and count the crawls of the others.',
    file: 'packages/coordinator/src/stream/crawl-parts.ts',
    from: '[...ofTeam(documents, team).values()]',
    to: '[...documents.values()]',
    killer: {
      test: 'packages/coordinator/src/stream/crawl-parts.test.ts',
      case: 'shows and counts for a team what is its own',
    },
  },
  {
    name: 'crawl-parts-hide-what-runs',
    why: 'A crawl that has run for a month would stand behind ten thousand that are over.',
    file: 'packages/protocol/src/api/crawl-list.ts',
    from: 'openRank(a.wanted) - openRank(b.wanted) ||',
    to: '',
    killer: {
      test: 'packages/coordinator/src/stream/crawl-parts.test.ts',
      case: 'shows what runs first, then the newest, a part at a time, and counts the whole',
    },
  },
  {
    name: 'console-scope-rules-lost',
    why: 'A preview would name rules that do not add up to the URLs it says would be dropped.',
    file: 'packages/console/browser/scope/preview-sum.ts',
    from: 'otherRules += found.urls;',
    to: '',
    killer: {
      test: 'packages/console/browser/scope/preview-sum.test.ts',
      case: 'counts rules beyond those that are listed, so that the sum is that of all',
    },
  },
  {
    name: 'console-scope-rewrites-patterns',
    why: 'A change of one pattern would turn another one of the job into a regular expression.',
    file: 'packages/console/browser/scope/scope-draft.ts',
    from: 'if (known !== undefined) return known;',
    to: '',
    killer: {
      test: 'packages/console/browser/scope/scope-draft.test.ts',
      case: 'sends what was changed and nothing else',
    },
  },
  {
    name: 'console-stop-ends-at-the-first-failure',
    why: 'One crawl that cannot be stopped would keep the others running.',
    file: 'packages/console/browser/home/stop-crawls.ts',
    from: 'so.failed.push({ item, error });',
    to: 'so.failed.push({ item, error });\n        return;',
    killer: {
      test: 'packages/console/browser/home/stop-crawls.test.ts',
      case: 'does a few at a time, and all of them though some fail',
    },
  },
  {
    name: 'console-stop-waits-for-the-slow',
    why: 'Hundreds of crawls would request pages for minutes after a person has stopped everything.',
    file: 'packages/console/browser/home/stop-crawls.ts',
    from: 'if (running.length > atOnce)',
    to: 'if (running.length < 0)',
    killer: {
      test: 'packages/console/browser/home/stop-crawls.test.ts',
      case: 'pauses many that run before it stops them, and tells how far it is',
    },
  },
  {
    name: 'console-forecast-without-a-range',
    why: 'A trend that is not steady would be told as a time to plan by.',
    file: 'packages/protocol/src/resources/forecast.ts',
    from: 'const latestMs = known.length < spans.length ? undefined : Math.max(...known);',
    to: 'const latestMs = Math.max(...known);',
    killer: {
      test: 'packages/protocol/src/resources/forecast.test.ts',
      case: 'answers a range where the pace changed, and no end where half of it showed none',
    },
  },
  {
    name: 'workers-change-by-themselves',
    why: 'Whoever follows the workers would be sent all of them with every look.',
    file: 'packages/coordinator/src/network/fleet-documents.ts',
    from: '({ linkedMs, ...one }) => [',
    to: '({ linkedMs, ...rest }, _n, _all, one = { ...rest, linkedMs }) => [',
    killer: {
      test: 'packages/coordinator/src/network/fleet-documents.test.ts',
      case: 'lists workers and coordinators by id with what was decided about them, and nothing that changes by itself',
    },
  },
  {
    name: 'console-inline-code',
    why: 'Text of a site that became markup could run.',
    file: `${files}.ts`,
    from: `"script-src 'self'",`,
    to: `"script-src 'self' 'unsafe-inline'",`,
    killer: { test: `${files}.test.ts`, case: 'allows files of its own origin, and nothing inline' },
  },
  {
    name: 'console-covers-the-api',
    why: 'A mistyped path of the API would answer with a page and 200.',
    file: `${files}.ts`,
    from: "path === '/' ||",
    to: "path !== '' ||",
    killer: { test: `${files}.test.ts`, case: 'leaves every path of the API and every other name alone' },
  },
  {
    name: 'one-url-retries-more',
    why: 'Retrying one URL would also fetch every URL that begins with it.',
    file: 'packages/coordinator/src/api/families/urls.ts',
    from: 'only: (one) => one.url === url',
    to: 'only: anyUrl',
    killer: {
      test: 'packages/coordinator/src/crawl-directory.test.ts',
      case: 'retries and drops one URL alone, though others begin with it',
    },
  },
  {
    name: 'links-to-anything',
    why: 'Pages would be said to link to a URL that link elsewhere.',
    file: 'packages/coordinator/src/crawl/reading/url-facts.ts',
    from: 'to === url ?',
    to: 'to !== undefined ?',
    killer: {
      test: 'packages/coordinator/src/crawl-urls.test.ts',
      case: 'answers everything that is recorded about a URL, and who links to it',
    },
  },
  {
    name: 'console-chart-bridges-gaps',
    why: 'A chart would show steady progress through a night in which nobody worked.',
    file: 'packages/console/browser/api/chart-points.ts',
    from: 'sample.gap && before ?',
    to: 'sample.gap && !before ?',
    killer: {
      test: 'packages/console/browser/api/chart-points.test.ts',
      case: 'draws no line where nobody looked',
    },
  },
  {
    name: 'console-undo-loses-a-rule',
    why: 'Undo would delete the rule that another operator had set, and crawls would ask the host faster than agreed.',
    file: 'packages/console/browser/hosts/host-wish.ts',
    from: 'if (!before) return await client.deleteHostRule',
    to: 'if (before !== null) return await client.deleteHostRule',
    killer: {
      test: 'packages/console/browser/hosts/host-wish.test.ts',
      case: 'brings back the rule that held before',
    },
  },
  {
    name: 'console-list-ends-early',
    why: 'An answer without a row would look like the end of the list, and the URLs behind it would never be seen.',
    file: `${urls}/url-list.ts`,
    from: 'const isWhole = next === undefined;',
    to: 'const isWhole = next === undefined || items.length === 0;',
    killer: {
      test: `${urls}/url-list.test.ts`,
      case: 'goes on behind answers without a row, and asks a person after many of them',
    },
  },
  {
    name: 'console-list-kept-whole',
    why: 'The browser would keep every URL that was scrolled past, until it has no memory left.',
    file: `${urls}/url-list.ts`,
    from: 'if (kept >= mostKept && distance(page) > ahead) page.rows = undefined;',
    to: 'if (kept < 0) page.rows = undefined;',
    killer: {
      test: `${urls}/url-list.test.ts`,
      case: 'keeps the rows around the view alone, and reads others again when they are looked at',
    },
  },
  {
    name: 'console-export-cut-in-silence',
    why: 'A list that was cut would be taken for all of it.',
    file: `${urls}/export-urls.ts`,
    from: 'if (cut !== undefined) {',
    to: "if (cut === 'full') {",
    killer: {
      test: `${urls}/export-urls.test.ts`,
      case: 'says in the file itself that it was cut, and why',
    },
  },
  {
    name: 'console-export-formulas',
    why: 'Text of a site would run as a formula in the spreadsheet of whoever opens the export.',
    file: `${urls}/export-urls.ts`,
    from: ".test(value) ? `'${value}` : value",
    to: '.test(value) ? value : value',
    killer: {
      test: `${urls}/export-urls.test.ts`,
      case: 'writes every page, empty ones included, as CSV that no spreadsheet runs',
    },
  },
  {
    name: 'console-preview-unbounded',
    why: 'A small record that unpacks to gigabytes would end the browser of whoever looks at it.',
    file: 'packages/console/browser/url/capture.ts',
    from: 'if (length > most) return',
    to: 'if (length < 0) return',
    killer: {
      test: 'packages/console/browser/url/capture.test.ts',
      case: 'unpacks no more than is wanted of a record that would fill the memory',
    },
  },
  {
    name: 'console-command-unquoted',
    why: 'A URL of a site would run as a command when the copied line is pasted into a shell.',
    file: 'packages/console/browser/url/explain-command.ts',
    from: "`'${line.replaceAll(",
    to: "`'${line.slice().replace(",
    killer: {
      test: 'packages/console/browser/url/explain-command.test.ts',
      case: 'quotes whatever a site or a person named, so that a shell runs none of it',
    },
  },
  {
    name: 'console-figures-of-the-end',
    why: 'Retried URLs of a crawl that is over would be shown as failed until it is resumed.',
    file: 'packages/coordinator/src/stream/crawl-homes.ts',
    from: 'if (last && !isOver(last)) return',
    to: 'if (last) return',
    killer: {
      test: 'packages/coordinator/src/stream/crawl-homes.test.ts',
      case: 'counts what was retried since a crawl was over, and keeps the rest of its last figures',
    },
  },
  {
    name: 'console-items-columns-of-the-first-page',
    why: 'Fields that come later would be missing from an exported file, and nothing would say so.',
    file: `${data}/item-log.ts`,
    from: "if (options.format === 'csv') {",
    to: "if (options.format === 'csv' && q !== '') {",
    killer: {
      test: `${data}/item-log.test.ts`,
      case: 'exports all columns that any item has, and no cell that a spreadsheet would run',
    },
  },
  {
    name: 'console-half-read-archive-is-intact',
    why: 'A check that was stopped would call an archive intact whose other half nobody read.',
    file: `${data}/file-check.ts`,
    from: "if (signal.aborted) return { is: 'stopped', share };",
    to: "if (signal.aborted) return { is: 'valid', records, digests, bytes };",
    killer: {
      test: `${data}/file-check.test.ts`,
      case: 'does not call a file intact that was not read to its end',
    },
  },
  {
    name: 'archive-check-ends-at-a-wrong-digest',
    why: 'Damage behind a record with a wrong digest would never be found.',
    file: 'packages/coordinator/src/api/archive/check-archive.ts',
    from: 'offset >= found.soundUntil);',
    to: 'offset >= from);',
    killer: {
      test: 'packages/coordinator/src/api/archive/check-archive.test.ts',
      case: 'goes on behind a wrong digest, and ends where no record begins',
    },
  },
  {
    name: 'console-no-content-while-it-runs',
    why: 'Nothing of a crawl that runs could be looked at: its archive has another name until it is complete.',
    file: 'packages/coordinator/src/api/archive/archive-files.ts',
    from: 'opened(target + openMark)',
    to: 'opened(openMark)',
    killer: {
      test: 'packages/coordinator/src/api/archive/archive-files.test.ts',
      case: 'opens a file that is still being written to by the name that records have for it',
    },
  },
  {
    name: 'console-packed-page-is-no-text',
    why: 'A page that was sent with brotli would be shown as something that is not text.',
    file: 'packages/console/browser/url/read-saved.ts',
    from: 'isCoded(named) ? await readBody(original ?? saved, place) : body',
    to: 'body',
    killer: {
      test: 'packages/console/browser/url/read-saved.test.ts',
      case: 'has the coordinator decode a page whose packing browsers do not undo',
    },
  },
  {
    name: 'console-drawn-page-is-empty',
    why: 'Of a page that scripts fill, the console would say that there is no text in it.',
    file: 'packages/console/browser/url/read-saved.ts',
    from: "kind === 'dom'",
    to: "kind === 'pdf'",
    killer: {
      test: 'packages/console/browser/url/read-saved.test.ts',
      case: 'reads the page that a browser drew beside what the site sent',
    },
  },
  {
    name: 'console-true-cause-in-a-tooltip',
    why: 'A crawl that waits for an account would say no more than that no worker can work on it.',
    file: 'packages/console/browser/parts/cause-sentence.ts',
    from: "ownSide.has(cause) && !isTold ? `: ${text}` : ''",
    to: "isTold || ownSide ? '' : ''",
    killer: {
      test: 'packages/console/browser/parts/cause-sentence.test.ts',
      case: 'says what exactly is wrong on our own side, in both languages',
    },
  },
];
