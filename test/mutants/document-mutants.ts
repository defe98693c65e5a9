import type { Mutant } from './mutant.ts';

const documents = 'packages/worker/src/documents';

const proof = { proof: 'corpora', args: ['--only', 'markdown', '--quick', '--seed', '7'] } as const;

/** How feeds, Word documents and PDFs are read, and what Markdown is made of. */
export const documentMutants: readonly Mutant[] = [
  {
    name: 'documents-unpacked-without-end',
    why: 'A Word document of a megabyte could take all memory of a worker.',
    file: `${documents}/docx/zip.ts`,
    from: '{ maxOutputLength: maxFileBytes }',
    to: '{}',
    killer: {
      test: `${documents}/docx/zip.test.ts`,
      case: 'that would unpack to more than is allowed is not unpacked',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'documents-lists-flattened',
    why: 'Items of inner lists of a Word document would stand beside the outer ones.',
    file: `${documents}/docx/blocks.ts`,
    from: 'if (item && isElement(item)) append(item, list);',
    to: 'if (item && !isElement(item)) append(top!.list, list);',
    killer: { test: `${documents}/docx/docx.test.ts`, case: 'has lists within lists' },
  },
  {
    name: 'documents-feed-links-relative',
    why: 'Links in the entries of a feed would lead to addresses of the server that the feed is fetched from.',
    file: `${documents}/feed-tree.ts`,
    from: 'absolute(children, base);\n  return children;',
    to: 'return children;',
    killer: { test: `${documents}/feeds.test.ts`, case: 'RSS 2.0, its text escaped or in CDATA' },
  },
  {
    name: 'documents-pdf-memory-unwatched',
    why: 'A PDF made for it could take all memory of a worker.',
    file: 'packages/worker/src/aside/run-aside.ts',
    from: 'if (looks.bytes > limits.maxBytes)',
    to: 'if (looks.bytes < 0)',
    killer: {
      test: `${documents}/pdf/pdf.test.ts`,
      case: 'that takes too much memory is given up',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'thread-of-another-crawl',
    why: 'What a hostile document leaves behind in its reader would meet the documents of other teams.',
    file: 'packages/worker/src/aside/kept-threads.ts',
    from: 'thread.entry !== entry || thread.account !== account',
    to: 'thread.entry !== entry',
    killer: {
      test: 'packages/worker/src/aside/run-aside.test.ts',
      case: 'a thread that has answered works for its crawl again, and for no other',
    },
  },
  {
    name: 'thread-keeps-its-memory',
    why: 'A thread that has once read a huge document would hold its memory for as long as the crawl has documents.',
    file: 'packages/worker/src/aside/run-aside.ts',
    from: 'answer?.ok && looks.bytes <= keptBytes',
    to: 'answer?.ok',
    killer: {
      test: 'packages/worker/src/aside/run-aside.test.ts',
      case: 'a thread that failed, took too long or too much is not used again',
    },
  },
  {
    name: 'markdown-cells-ended-by-text',
    why: 'A pipe in a cell of a table would move all that follows to other columns.',
    file: 'packages/worker/src/markdown/escape.ts',
    from: 'return context.inCell;',
    to: 'return false;',
    killer: { ...proof, field: 'markdown.wrong' },
  },
  {
    name: 'markdown-links-as-written',
    why: 'Links in Markdown would lead nowhere once it is away from its page.',
    file: 'packages/worker/src/markdown/links.ts',
    from: 'return url === undefined ? undefined : destination(url);',
    to: 'return url === undefined ? undefined : destination(href.trim());',
    killer: { ...proof, field: 'markdown.relative' },
  },
  {
    name: 'markdown-with-scripts',
    why: 'The text for search and language models would be full of code.',
    file: 'packages/worker/src/markdown/elements.ts',
    from: "'script style template",
    to: "'style template",
    killer: { ...proof, field: 'markdown.withCode' },
  },
];
