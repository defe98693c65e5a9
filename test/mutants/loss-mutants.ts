import type { Mutant } from './mutant.ts';

const folder = 'packages/worker/src/main-content';
const markdown = 'packages/worker/src/markdown';
const content = (name: string) => ({ test: `${folder}/main-content.test.ts`, case: name });
const written = (name: string) => ({ test: `${markdown}/to-markdown.test.ts`, case: name });

/** What is lost of a page on its way to Markdown, and what code of users can end. */
export const lossMutants: readonly Mutant[] = [
  {
    name: 'losses-unguarded',
    why: 'A page that calls itself an article and is a list of figures would keep its first paragraph only.',
    file: `${folder}/loss-guard.ts`,
    from: '|| keptLetters(chosen, boxes) < minKept * own.plainLetters',
    to: '',
    killer: content('is kept whole where an article without it would be much less'),
  },
  {
    name: 'marks-of-pages-ignored',
    why: 'A guide to an installation would keep the last of its commands, an index none of its links.',
    file: `${folder}/main-content.ts`,
    from: 'if (own.isMarked && !isArticle) return own.letters >= minKept * keptLetters(chosen, boxes);',
    to: '',
    killer: content('has lists of links, but none that lead to its own parts'),
  },
  {
    name: 'tables-of-contents-kept',
    why: 'Each page of documentation would begin with the list of its own headings.',
    file: `${folder}/own-content.ts`,
    from: 'if (isJumpList(each)) each.dropped = true;',
    to: '',
    killer: content('has lists of links, but none that lead to its own parts'),
  },
  {
    name: 'sections-judged-by-their-ids',
    why: 'The part of a reference about comments, sharing or logins would be taken for what these words name on other pages.',
    file: `${folder}/surroundings.ts`,
    from: 'const hint = namesItsHeading(box) ? box.classHint : box.hint;',
    to: 'const { hint } = box;',
    killer: content('has sections that are named like what stands around others'),
  },
  {
    name: 'notes-are-surroundings',
    why: 'Warnings in a manual would be missing from its Markdown.',
    file: `${folder}/surroundings.ts`,
    from: 'return hint < Hint.outside && ',
    to: 'return hint > Hint.outside && ',
    killer: content('has notes in whatever element they stand, and headings that are buttons'),
  },
  {
    name: 'authors-dropped',
    why: 'Nobody could tell who wrote an article.',
    file: `${folder}/main-content.ts`,
    from: 'lead: copyWithout(nodesOf(lead), new Set()),',
    to: 'lead: [],',
    killer: content('is kept where it is the summary and the author, wherever the page puts them'),
  },
  {
    name: 'beginnings-dropped',
    why: 'Articles whose first paragraph stands by itself would begin with the second.',
    file: `${folder}/main-content.ts`,
    from: '[...nodesOf(opening), node as TreeNode]',
    to: '[node as TreeNode]',
    killer: content('is part of the text where it is how that begins'),
  },
  {
    name: 'rows-are-teasers',
    why: 'Half of the rows of an index would be missing.',
    file: `${folder}/teasers.ts`,
    from: "(isArticle || name !== 'tr')",
    to: 'name.length > 0',
    killer: content('a table whose rows all begin with a link: all of its rows'),
  },
  {
    name: 'kinds-of-notes-lost',
    why: 'A warning would read as any other quotation.',
    file: `${markdown}/to-markdown.ts`,
    from: 'if (kind !== undefined) this.#writer.lines([`[!${kind}]`]);',
    to: '',
    killer: written('keep a title that says more than the kind'),
  },
  {
    name: 'exponents-become-digits',
    why: 'mc² would become mc2, and 10⁶ a hundred and six.',
    file: `${markdown}/to-markdown.ts`,
    from: "['sup', 'sup'],",
    to: '',
    killer: written('what is set high or low stays so'),
  },
  {
    name: 'permalinks-kept',
    why: 'Each heading of documentation would end with a paragraph sign.',
    file: `${markdown}/elements.ts`,
    from: "if (name === 'a') return isPermalink(element);",
    to: '',
    killer: written('have their code and no link to themselves'),
  },
  {
    name: 'promises-stored-as-nothing',
    why: 'An item with a value that was not awaited would be stored without it, and its failure would end the process.',
    file: 'packages/worker/src/page/own-code.ts',
    from: '    const text = jsonOf(item);',
    to: '    const text = JSON.stringify(item) as string | undefined;',
    killer: { test: 'test/library/own-code.test.ts', case: 'is the trouble of its page alone: a promise' },
  },
  {
    name: 'thrown-objects-trusted',
    why: 'An error that cannot be looked at would end the whole crawl.',
    file: 'packages/worker/src/page/error-place.ts',
    from: "    return 'something that cannot be read was thrown';",
    to: '    throw error;',
    killer: {
      test: 'test/library/own-code.test.ts',
      case: 'code that throws what cannot be looked at',
      says: 'never read',
    },
  },
  {
    name: 'savers-unguarded',
    why: 'A bug in a saver of a user would end the crawl.',
    file: 'packages/worker/src/crawls/crawl-context.ts',
    from: "targets[at]?.kind === 'module' ? guardedSaver(saver) : saver",
    to: "targets[at]?.kind === 'none' ? guardedSaver(saver) : saver",
    killer: { test: 'test/library/own-code.test.ts', case: 'a saver that throws', says: 'own bug' },
  },
];
