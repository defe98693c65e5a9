import type { Mutant } from './mutant.ts';

const comparing = 'packages/coordinator/src/crawl/comparing';
const comparisons = 'packages/coordinator/src/crawl-comparisons.test.ts';

/** What two crawls say of one site. */
export const compareMutants: readonly Mutant[] = [
  {
    name: 'compare-unfinished-crawl-lost-pages',
    why: 'Pages that the crawl has not come to yet would be reported as gone.',
    file: `${comparing}/judge-pages.ts`,
    from: 'if (!now && facts.isNowWhole)',
    to: 'if (!now)',
    killer: { test: comparisons, case: 'calls nothing gone while the later crawl is not over' },
  },
  {
    name: 'compare-digests-ignored',
    why: 'No page would ever be reported as changed.',
    file: `${comparing}/judge-pages.ts`,
    from: "now.digest === before.digest ? 'unchanged' : 'changed'",
    to: "now.digest === before.digest ? 'unchanged' : 'unchanged'",
    killer: { test: comparisons, case: 'finds what was added, changed and taken away, and nothing else' },
  },
  {
    name: 'compare-trouble-is-gone',
    why: 'A page whose host timed out would be reported as gone.',
    file: `${comparing}/judge-pages.ts`,
    from: "kind: now.isSettled ? 'gone' : 'unclear'",
    to: "kind: now.isSettled ? 'gone' : 'gone'",
    killer: { test: comparisons, case: 'finds what was added, changed and taken away, and nothing else' },
  },
  {
    name: 'compare-list-ends-after-a-page',
    why: 'A long list of changes would end after its first page, as if that were all.',
    file: 'packages/coordinator/src/crawl-comparisons.ts',
    from: 'const last = pages.length === limit ? pages.at(-1)?.url : undefined;',
    to: 'const last = pages.length > limit ? pages.at(-1)?.url : undefined;',
    killer: {
      test: comparisons,
      case: 'reads on in pages, keeps a comparison as it was, and begins anew when a crawl has moved on',
    },
  },
  {
    name: 'compare-begun-at-every-coordinator',
    why: 'Behind a proxy the comparison of a crawl that runs would never be ready.',
    file: 'packages/coordinator/src/crawl-comparisons.ts',
    from: '(isList ? undefined : kept.find((each) => !each.isReady && isMeant(each))) ??',
    to: '',
    killer: {
      test: comparisons,
      case: 'gets ready behind a proxy that asks coordinators in turn, while the crawl moves on',
    },
  },
  {
    name: 'compare-cursor-of-any-comparison',
    why: 'The second page of a list could be of another comparison than the first, with pages missing or listed twice.',
    file: 'packages/coordinator/src/crawl-comparisons.ts',
    from: 'const wanted = from?.id ?? search.id;',
    to: 'const wanted = search.id;',
    killer: {
      test: comparisons,
      case: 'lists pages of one comparison alone, or says that it is not kept here',
    },
  },
  {
    name: 'compare-moved-crawls-share-an-id',
    why: 'Two coordinators would answer different lists under one id, because the crawl moved on while they read it.',
    file: 'packages/coordinator/src/crawl-comparisons.ts',
    from: '!isWhole || (await placeOf(now.entry, before.entry)).id !== comparison.place',
    to: '!isWhole',
    killer: { test: comparisons, case: 'gives no id that others would give to something else' },
  },
  {
    name: 'kept-work-that-fails-for-good',
    why: 'A comparison that cannot be read further would stand in the way of every other one of these crawls.',
    file: 'packages/coordinator/src/kept-works.ts',
    from: 'if (!isPassing) drop(work);',
    to: '',
    killer: { test: comparisons, case: 'begins anew where the results cannot be read further' },
  },
  {
    name: 'compare-anew-for-ever',
    why: 'Where every list is lost, the console would ask the coordinators without end.',
    file: 'packages/console/browser/data/use-comparison.ts',
    from: ' || kept.renewed >= mostRenewed',
    to: '',
    killer: {
      test: 'packages/console/browser/data/use-comparison.test.ts',
      case: 'compares anew by itself where a list is lost, but not for ever',
    },
  },
  {
    name: 'compare-crawls-of-other-teams',
    why: 'A team could read the URLs of another by comparing a crawl of its own with one of theirs.',
    file: 'packages/coordinator/src/api/families/comparing.ts',
    from: 'if (entry && maySee(principal, entry)) return entry;',
    to: 'if (entry) return entry;',
    killer: {
      test: 'packages/coordinator/src/api/families/comparing.test.ts',
      case: 'compares with no crawl of another team, and does not say whether there is one',
    },
  },
];
