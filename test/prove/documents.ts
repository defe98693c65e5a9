// watches: packages/worker/src/main-content, packages/worker/src/markdown, packages/worker/src/documents
// watches: packages/worker/src/tree, packages/worker/src/scrape
// misses: sections, code, tables, notes and authors that are lost from a page on its way to Markdown, and menus that come along
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { toMarkdown } from '../../packages/worker/src/markdown/to-markdown.ts';
import { readTree } from '../../packages/worker/src/tree/tree.ts';
import { judgeMainText } from '../corpora/main-text.ts';
import { realPages } from '../corpora/real-pages.ts';
import { judgeFiles } from '../documents/judge-files.ts';
import { judgeMade, type MadeCounts } from '../documents/judge-made.ts';
import { boilerplateOf, judgePages, mainMarkdown, recallOf } from '../documents/judge-pages.ts';
import { judgedFolders } from '../documents/judged-pages.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';

const minRecall = 0.98;
const maxBoilerplate = 0.05;
/**
 * What real pages reach; their lines were judged by hand. Of articles, boxes of highlights in `aside` and authors without a mark are
 * lost; pages of shops, forums and front pages that mark nothing as their content are read by their names alone.
 */
const real = {
  articles: { recall: 0.96, boilerplate: 0.045 },
  others: { recall: 0.85, boilerplate: 0.12 },
};
const seeds = { quick: 2, full: 20 };

/**
 * What a reader came for is in the Markdown of a page, as what it is, and what stands around it is not. Made pages of seven kinds, as
 * 24 generators, forums and shops write them, and made feeds, Word documents and PDFs: every block is known. Real pages: lines
 * that were judged by hand (test/documents/judged-pages.txt), and articles by the benchmark's own judge. Control: whole pages.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const corpora = process.env.WEBFARER_CORPORA;
  if (corpora === undefined || !judgedFolders.every((folder) => existsSync(join(corpora, folder))))
    return {
      ok: false,
      result: { skipped: `WEBFARER_CORPORA names no folder with ${judgedFolders.join(', ')}` },
    };
  const wrong: string[] = [];
  const log = (line: string) => void wrong.push(line);
  const chosen = Array.from({ length: quick ? seeds.quick : seeds.full }, (_, at) => at + 1);
  const made = { ...judgeMade(chosen, log), ...(await judgeFiles(chosen.slice(0, 5), log)) };
  for (const line of wrong.slice(0, 20)) console.error(`  ✗ ${line}`);

  const { articles, others, changed } = judgePages(corpora, mainMarkdown);
  const control = judgePages(corpora, wholePage);
  const text = await judgeMainText({ quick, args, corpora, pages: realPages(corpora) });

  const madeHolds = Object.values(made).every(
    ({ blocks, lost, otherKind, boilerplate }) =>
      blocks > 0 && lost + otherKind <= (1 - minRecall) * blocks && boilerplate <= maxBoilerplate * blocks,
  );
  const realHolds =
    recallOf(articles) >= real.articles.recall &&
    boilerplateOf(articles) <= real.articles.boilerplate &&
    recallOf(others) >= real.others.recall &&
    boilerplateOf(others) <= real.others.boilerplate;
  const controlHolds = recallOf(control.articles) > 0.95 && boilerplateOf(control.articles) > 0.5;
  return {
    ok: madeHolds && realHolds && controlHolds && changed.length === 0 && text.ok,
    result: {
      ...summed(made),
      articles: figures(articles),
      others: figures(others),
      articlesF1: text.result.f1,
      wholePages: figures(control.articles),
      changedPages: changed.length,
      sizes: { seeds: chosen.length, kinds: Object.keys(made).length, quick },
    },
  };
}

const wholePage = (html: string): string =>
  toMarkdown(readTree(html, { xml: false }).children, { base: 'https://judged.example/' });

type Counts = Parameters<typeof recallOf>[0];

function figures(counts: Counts) {
  const { pages, content } = counts;
  return {
    pages,
    lines: content,
    recall: round(recallOf(counts)),
    boilerplate: round(boilerplateOf(counts)),
  };
}

function summed(made: Record<string, MadeCounts>) {
  const sum = (of: keyof MadeCounts) => Object.values(made).reduce((total, counts) => total + counts[of], 0);
  const blocks = sum('blocks');
  return {
    madePages: sum('pages'),
    madeBlocks: blocks,
    madeRecall: round(1 - sum('lost') / blocks),
    madeOtherKind: sum('otherKind'),
    madeBoilerplate: round(sum('boilerplate') / blocks),
  };
}

const round = (value: number): number => Number(value.toFixed(4));
