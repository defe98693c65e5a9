import type { Mutant } from './mutant.ts';

const folder = 'packages/worker/src/main-content';
const test = `${folder}/main-content.test.ts`;

/** What the main content of a page leaves out and keeps. */
export const mainContentMutants: readonly Mutant[] = [
  {
    name: 'long-comments-kept',
    why: 'The main content of a much discussed page would be its comments.',
    file: `${folder}/surroundings.ts`,
    from: 'if (hint === Hint.beside && !headline) return share < besideShare;',
    to: '',
    killer: { test, case: 'leaves out comments that are longer than it' },
  },
  {
    name: 'names-outweigh-prose',
    why: 'A page whose outermost element is called `with-sidebar` would have no main content.',
    file: `${folder}/surroundings.ts`,
    from: 'const contentShare = 0.4;',
    to: 'const contentShare = 2;',
    killer: { test, case: 'is kept in an element whose name describes the whole page' },
  },
  {
    name: 'teasers-kept',
    why: 'The summaries of other stories would stand below each article.',
    file: `${folder}/teasers.ts`,
    from: 'for (const teaser of teasers) teaser.dropped = true;',
    to: '',
    killer: { test, case: 'ends before teasers of other pages, which have no telling names' },
  },
  {
    name: 'lists-of-teasers-emptied',
    why: 'The front page of a blog would have no main content.',
    file: `${folder}/teasers.ts`,
    from: 'const maxShare = 0.7;',
    to: 'const maxShare = 1;',
    killer: { test, case: 'a list of teasers: the teasers' },
  },
  {
    name: 'content-of-one-part-only',
    why: 'The main content of a discussion would be its longest contribution.',
    file: `${folder}/choose.ts`,
    from: 'const descendShare = 0.8;',
    to: 'const descendShare = 0.3;',
    killer: { test, case: 'a forum: question and answers in their order' },
  },
  {
    name: 'further-articles-kept',
    why: 'Pages that load the next story below the first would have both as main content.',
    file: `${folder}/choose.ts`,
    from: 'articleOfHeadline(box, boxes) ?? box',
    to: 'box',
    killer: { test, case: 'is the article under the headline where several follow each other' },
  },
  {
    name: 'every-character-one-letter',
    why: 'Sentences in Chinese and Japanese would be taken for labels.',
    file: `${folder}/boxes.ts`,
    from: 'code < firstDense ? 1 : 3',
    to: 'code < firstDense ? 1 : 1',
    killer: { test, case: 'the main content in scripts of the world > Chinese' },
  },
  {
    name: 'lines-that-lead-elsewhere-kept',
    why: 'Articles would be interrupted by the titles of others.',
    file: `${folder}/trim.ts`,
    from: 'if (box.headline || isPointer(box)) box.dropped = true;',
    to: 'if (box.headline) box.dropped = true;',
    killer: { test, case: 'has no lines that only lead elsewhere, but keeps links within sentences' },
  },
  {
    name: 'dropped-nodes-handed-out',
    why: 'The Markdown of an article would have the share buttons that its text leaves out.',
    file: `${folder}/main-content.ts`,
    from: 'left.add(each.node);',
    to: 'left.has(each.node);',
    killer: { test, case: 'are copies, and the shared tree stays as it was' },
  },
  {
    name: 'main-content-without-its-heading',
    why: 'The Markdown of an article would begin with its second paragraph, and never name its subject.',
    file: 'packages/worker/src/scrape/readings.ts',
    from: '...(headline ? [headline] : []),',
    to: '',
    killer: { test: 'packages/worker/src/scrape/readable.test.ts', case: 'has a main part' },
  },
  {
    name: 'site-name-as-heading',
    why: 'Each page of a site whose logo is a heading would be called as the site.',
    file: `${folder}/main-content.ts`,
    from: "if (!headline?.dropped || title === '') return headline;",
    to: 'if (headline || !headline) return headline;',
    killer: { test, case: 'is the title where the only heading names the site, or there is none' },
  },
  {
    name: 'surroundings-kept',
    why: 'Navigation, captions and share buttons would be part of the main content of most pages.',
    file: `${folder}/surroundings.ts`,
    from: 'box.dropped = true;',
    to: 'box.dropped = false;',
    killer: { proof: 'corpora', args: ['--only', 'main-text', '--quick'], field: 'main-text.f1' },
  },
];
