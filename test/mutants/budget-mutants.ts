import type { Mutant } from './mutant.ts';

const expressions = 'packages/protocol/src/expression';
const tree = 'packages/worker/src/tree';
const frontier = 'packages/coordinator/src/frontier';
const asInJavaScript = {
  test: `${expressions}/expression.test.ts`,
  case: 'means what it means in JavaScript where RE2 runs all of them',
} as const;

/** What input of other people may cost: expressions, documents, pages. */
export const budgetMutants: readonly Mutant[] = [
  {
    name: 'budget-expression-without-flags',
    why: 'One scope rule with flags: i could stop a coordinator and all workers for every team.',
    file: `${expressions}/expression.ts`,
    from: 'native(source, `${plain}${linear}`)',
    to: 'native(source, linear)',
    killer: {
      test: `${expressions}/expression.test.ts`,
      case: 'is asked for with its flags: V8 alone would try 2^24 ways',
    },
  },
  {
    name: 'budget-expression-long-in-v8',
    why: 'A long expression could take a quarter of a second for each URL.',
    file: `${expressions}/expression.ts`,
    from: 'size <= mostNativeSteps[use] &&',
    to: 'size <= mostNativeSteps[use] * 1_000 &&',
    killer: {
      test: `${expressions}/expression.test.ts`,
      case: 'takes time that grows with the text alone',
    },
  },
  {
    name: 'budget-expression-counts-unbounded',
    why: 'A count of a count makes an expression of millions of steps.',
    file: `${expressions}/expression.ts`,
    from: 'if (size - hostCharacters > mostSteps)',
    to: 'if (size - hostCharacters > mostSteps * 10)',
    killer: {
      test: `${expressions}/expression.test.ts`,
      case: 'is refused where it cannot be run',
    },
  },
  {
    name: 'budget-expression-other-groups',
    why: 'A field would hold another part of the page than the expression says.',
    file: `${expressions}/translate.ts`,
    from: "if (atom.groups > Number(isGroup)) this.differsInGroups ??= 'a group within a repeated group';",
    to: '',
    killer: asInJavaScript,
  },
  {
    name: 'budget-expression-code-points',
    why: 'A pattern that matches one character would match halves of others.',
    file: `${expressions}/translate.ts`,
    from: 'return union(set, surrogates);',
    to: 'return union(set, surrogates.slice(1));',
    killer: asInJavaScript,
  },
  {
    name: 'budget-expression-unchecked-in-jobs',
    why: 'An expression that nothing can run would be refused by each worker, page by page, and not by the coordinator.',
    file: 'packages/protocol/src/job/values.ts',
    from: "if (message !== undefined) context.addIssue({ code: 'custom', message, path: ['regex'] });",
    to: '',
    killer: {
      test: 'packages/coordinator/src/admission/admit-job.test.ts',
      case: 'takes expressions that are run in linear time, with their flag, and no others from anyone',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'budget-elements-without-end',
    why: 'A page of ten kilobytes, unpacked to millions of elements, would hold a worker for seconds and take a gigabyte.',
    file: `${tree}/budget.ts`,
    from: 'if (--budget.nodes < 0) end(',
    to: 'if (--budget.nodes < -maxNodes * 1_000) end(',
    killer: {
      test: `${tree}/tree.test.ts`,
      case: 'is cut where a page has more elements than are worked on',
    },
  },
  {
    name: 'budget-text-without-end',
    why: 'Megabytes of text full of signs would hold a worker while they are escaped.',
    file: `${tree}/budget.ts`,
    from: '  add(Math.min(length, rest));\n  if (budget.characters < 0) end(',
    to: '  add(Math.min(length, rest));\n  if (budget.characters < -maxCharacters * 1_000) end(',
    killer: { test: `${tree}/tree.test.ts`, case: 'is cut where a page has more text than are worked on' },
  },
  {
    name: 'budget-xml-without-turns',
    why: 'A large Word document would keep all other pages waiting while it is read.',
    file: `${tree}/tree.ts`,
    from: 'if (at > 0) await nextTurn();',
    to: '',
    killer: { test: `${tree}/tree.test.ts`, case: 'gives others their turn while it reads XML of megabytes' },
  },
  {
    name: 'budget-html-without-turns',
    why: 'A page of many elements would keep all other pages waiting while its tree is built.',
    file: `${tree}/read-html.ts`,
    from: 'if (until > pieceLength) await nextTurn();',
    to: '',
    killer: {
      test: `${tree}/tree.test.ts`,
      case: 'gives others their turn while it reads HTML of megabytes',
    },
  },
  {
    name: 'budget-line-ends-in-one-go',
    why: 'A page of ten million line ends would hold a worker while they are replaced.',
    file: `${tree}/tree.ts`,
    from: '    at = end;\n    await nextTurn();',
    to: '    at = end;',
    killer: {
      test: `${tree}/tree.test.ts`,
      case: 'gives others their turn while it reads many line ends of megabytes',
    },
  },
  {
    name: 'budget-readings-on-the-main-thread',
    why: 'The Markdown and the main content of one page of many elements would hold a worker for half a second.',
    file: 'packages/worker/src/scrape/readings-aside.ts',
    from: 'const mostHere = 10_000;',
    to: 'const mostHere = 10_000_000;',
    killer: {
      test: 'packages/worker/src/scrape/readable.test.ts',
      case: 'is read aside where that takes long, for the crawl that pays',
    },
  },
  {
    name: 'budget-pdf-text-without-end',
    why: 'A PDF of ten million letters would hold a worker while they become Markdown.',
    file: 'packages/worker/src/documents/pdf/pdf-thread.ts',
    from: '...withinBudgetOf(layOutPdf(pages))',
    to: 'blocks: layOutPdf(pages), cut: undefined',
    killer: {
      test: 'packages/worker/src/documents/pdf/pdf.test.ts',
      case: 'of more text than is worked on is cut, and says so',
    },
  },
  {
    name: 'budget-document-cut-unsaid',
    why: 'Half of a document would look like the whole.',
    file: 'packages/worker/src/documents/docx/docx.ts',
    from: '  if (document.cut) tree.cut = document.cut;\n',
    to: '',
    killer: {
      test: 'packages/worker/src/documents/docx/docx.test.ts',
      case: 'of more elements than are worked on is cut, and says so',
    },
  },
  {
    name: 'budget-rules-on-the-main-thread',
    why: 'A selector that is slow on a page would keep all other pages of the worker waiting for seconds.',
    file: 'packages/worker/src/fields/extracting-scraper.ts',
    from: 'const maxMs = 200;',
    to: 'const maxMs = 5_000;',
    killer: {
      test: 'packages/worker/src/fields/extracting-scraper.test.ts',
      case: 'a selector that would take minutes on a page is ended',
    },
  },
  {
    name: 'budget-links-in-one-go',
    why: 'Slow patterns on a page of many links would keep all other pages of the worker waiting.',
    file: 'packages/worker/src/scrape/follow-in-turns.ts',
    from: 'if (tookMs < turnMs) continue;',
    to: 'if (tookMs < maxMs) continue;',
    killer: {
      test: 'packages/worker/src/scrape/follow-in-turns.test.ts',
      case: 'lets others have their turn where links take long, and follows each once',
    },
  },
  ...(
    [
      ['requisites', 'requisites of a page', 'requisites'],
      ['parts', 'parts of a style sheet', 'await requisiteParts(body, { url: entry.url, mime, label })'],
      ['sitemaps', 'URLs of a sitemap', 'batch'],
    ] as const
  ).map(
    ([name, what, links]): Mutant => ({
      name: `budget-${name}-in-one-go`,
      why: `Slow patterns on many ${what} would keep all other pages of the worker waiting.`,
      file: 'packages/worker/src/page/pipeline.ts',
      from: `await pace.each(${links}, (some) => {`,
      to: `[${links}].forEach((some) => {`,
      killer: {
        test: 'packages/worker/src/page/pipeline.test.ts',
        case: `others have their turn while patterns are tried on ${what}`,
      },
    }),
  ),
  {
    name: 'budget-preview-in-one-go',
    why: 'A preview of a scope with slow patterns would keep everybody else waiting who asks the coordinator.',
    file: `${frontier}/turns.ts`,
    from: 'if (!turn.isOver()) continue;',
    to: 'if (one) continue;',
    killer: {
      test: 'packages/coordinator/src/crawl/scope-preview.test.ts',
      case: 'gives others their turn where the patterns of a scope are slow',
    },
  },
  ...(
    [
      ['dropping', 'found.length >= movedAtOnce || turn.isOver()', 'found.length >= movedAtOnce'],
      ['retrying', 'at > 0 && turn.isOver()', 'at < 0'],
    ] as const
  ).map(
    ([file, from, to]): Mutant => ({
      name: `budget-${file}-in-one-go`,
      why: 'A new scope with slow patterns would hold the coordinator while it is carried out.',
      file: `${frontier}/sqlite/${file}.ts`,
      from,
      to,
      killer: {
        test: `${frontier}/sqlite/sqlite-frontier.test.ts`,
        case: 'frontier: SQLite in memory > searches of URLs > gives others their turn where judging is slow',
        says: 'at once',
      },
    }),
  ),
  {
    name: 'budget-redis-sweep-in-one-go',
    why: 'The same for a crawl in a store.',
    file: `${frontier}/redis/dropping.ts`,
    from: 'await filterInTurns(part.entries, (text) => isMeant(text, part))',
    to: 'part.entries.filter((text) => isMeant(text, part))',
    killer: {
      test: `${frontier}/redis/redis-frontier.test.ts`,
      case: 'frontier: Redis > searches of URLs > gives others their turn where judging is slow',
      says: 'at once',
    },
  },
  {
    name: 'budget-expressions-of-any-number',
    why: 'A job with ten thousand expressions would hold a coordinator while they are made, and a worker for each URL.',
    file: 'packages/protocol/src/job/checks.ts',
    from: 'if (all <= mostExpressions) return [];',
    to: 'if (all >= 0) return [];',
    killer: {
      test: 'packages/protocol/src/job/resolve.test.ts',
      case: 'takes at most 100 regular expressions, wherever they are, and makes none of more',
    },
  },
  {
    name: 'budget-expressions-made-again',
    why: 'Each change of a job with many long expressions would hold the coordinator while they are made anew.',
    file: `${expressions}/expression.ts`,
    from: '  if (expression) return expression;\n',
    to: '',
    killer: { test: `${expressions}/expression.test.ts`, case: 'is made once, however often a job is read' },
  },
  {
    name: 'budget-survey-in-one-go',
    why: 'The report of a crawl with very many long links would hold its coordinator for a second.',
    file: 'packages/graph/src/report/survey/links.ts',
    from: 'if (this.#count % betweenLooks !== 0) return false;',
    to: 'if (this.#count > 0) return false;',
    killer: {
      test: 'packages/graph/src/report/survey/bounded.test.ts',
      case: 'gives others their turn while it reads very many long links',
    },
  },
  {
    name: 'budget-of-each-part-of-a-feed',
    why: 'A feed of many parts would cost as much as so many pages.',
    file: 'packages/worker/src/documents/feed-tree.ts',
    from: 'readTree(html, { xml: false, budget })',
    to: 'readTree(html, { xml: false, budget: { ...budget } })',
    killer: {
      test: 'packages/worker/src/documents/feeds.test.ts',
      case: 'the parts of a feed share one budget, and what is cut is said',
    },
  },
  {
    name: 'budget-robots-without-end',
    why: 'A robots.txt of half a megabyte would hold the worker for a second or two, for every long URL of its host.',
    file: 'packages/protocol/src/robots/robots.ts',
    from: 'const maxSearched = 5_000_000;',
    to: 'const maxSearched = 5_000_000_000;',
    killer: {
      test: 'packages/protocol/src/robots/robots.test.ts',
      case: 'of more rules than can be tried on a long path forbid it, and say so',
    },
  },
  {
    name: 'budget-robots-cut-allows',
    why: 'Where not all rules could be tried, the crawler would fetch what the site forbids.',
    file: 'packages/protocol/src/robots/robots.ts',
    from: 'return { allowed: false, agent: group.agent, isCut: true };',
    to: 'return { allowed: true, agent: group.agent, isCut: true };',
    killer: {
      test: 'packages/protocol/src/robots/robots.test.ts',
      case: 'of more rules than can be tried on a long path forbid it, and say so',
    },
  },
  {
    name: 'budget-cookies-of-a-site',
    why: 'Thousands of cookies for other paths would be gone over for every request to a site.',
    file: 'packages/worker/src/fetch/site-cookies.ts',
    from: 'if (count < maxPerSite) return true;',
    to: 'if (count >= 0) return true;',
    killer: {
      test: 'packages/worker/src/fetch/cookies.test.ts',
      case: 'what a site sets stays within limits',
    },
  },
  {
    name: 'budget-drawings-in-one-go',
    why: 'An SVG file of megabytes would keep all other pages of the worker waiting.',
    file: 'packages/worker/src/extract/page-reader.ts',
    from: '!reader.isFull() && !scan(until); until += sliceLength) await nextTurn();',
    to: '!reader.isFull() && !scan(until); until += sliceLength) void nextTurn;',
    killer: {
      test: 'packages/worker/src/extract/requisite-parts.test.ts',
      case: 'is looked for in large drawings while others have their turn, and not in manifests that are none',
    },
  },
  {
    name: 'budget-manifest-of-megabytes',
    why: 'A web app manifest of megabytes would hold the worker for seconds.',
    file: 'packages/worker/src/extract/requisite-parts.ts',
    from: 'if (body.length > maxManifestBytes) return [];',
    to: '',
    killer: {
      test: 'packages/worker/src/extract/requisite-parts.test.ts',
      case: 'is looked for in large drawings while others have their turn, and not in manifests that are none',
    },
  },
  {
    name: 'budget-json-indented',
    why: 'A megabyte of brackets would become gigabytes of spaces.',
    file: 'packages/worker/src/documents/document-tree.ts',
    from: '    length += 2 * Math.max(0, depth) + 1;\n',
    to: '',
    killer: {
      test: 'packages/worker/src/documents/feeds.test.ts',
      case: 'JSON that is far longer when indented stays as it is written',
    },
  },
  {
    name: 'budget-json-entries',
    why: 'A JSON feed of a megabyte would become millions of elements.',
    file: 'packages/worker/src/documents/json-feed.ts',
    from: 'for (let node = 0; node < nodesOfEntry; node++) spendNode(place.budget);',
    to: '',
    killer: {
      test: 'packages/worker/src/documents/feeds.test.ts',
      case: 'a JSON feed has as many entries and paragraphs as a page may have elements',
    },
  },
  {
    name: 'budget-base-of-any-length',
    why: 'A long base would be gone through again for each of thousands of links.',
    file: 'packages/worker/src/extract/links.ts',
    from: ' && base.length <= maxUrlBytes ? base : url;',
    to: ' ? base : url;',
    killer: {
      test: 'packages/worker/src/extract/links.test.ts',
      case: 'are relative to the first base, wherever it stands',
    },
  },
  {
    name: 'budget-code-neighbours',
    why: 'Code elements side by side would each be written again with all before them: minutes for one page.',
    file: 'packages/worker/src/markdown/markdown-writer.ts',
    from: 'this.#lastCode.pieces.push(code);',
    to: "this.#lastCode.pieces = [`${this.#lastCode.pieces.join('')}${code}`];\n      inlineCode(String(this.#lastCode.pieces[0]), this.#context);",
    killer: {
      test: 'packages/worker/src/markdown/to-markdown.test.ts',
      case: 'code of very many neighbours takes no longer than other text',
    },
  },
];
