// watches: packages/worker/src/extract, packages/worker/src/tree, packages/worker/src/bytes
// watches: packages/worker/src/main-content, packages/worker/src/markdown, packages/worker/src/facts
// watches: packages/protocol/src/url
// misses: links, charsets, main content, Markdown or structured data read otherwise than outside judges read them
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { judgeExtract } from '../corpora/extract.ts';
import { judgeMainText } from '../corpora/main-text.ts';
import { judgeMarkdown } from '../corpora/markdown.ts';
import { type Reading, realPages } from '../corpora/real-pages.ts';
import { judgeStructured } from '../corpora/structured.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { argument } from './lab.ts';

const parts: Record<string, (reading: Reading) => Promise<ProofResult>> = {
  extract: judgeExtract,
  'main-text': judgeMainText,
  markdown: judgeMarkdown,
  structured: judgeStructured,
};
const folders = ['html-pages', 'article-extraction', 'html5lib-tokenizer', 'url-wpt'];

/**
 * Real pages are read once and judged by outside judges of everything that is read off a page: tags, links and charsets, main
 * content, Markdown, structured data. `--only PART,PART` takes some of them, `--seed N` repeats the made pages.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const corpora = process.env.WEBFARER_CORPORA;
  if (corpora === undefined || !folders.every((folder) => existsSync(join(corpora, folder))))
    return { ok: false, result: { skipped: `WEBFARER_CORPORA names no folder with ${folders.join(', ')}` } };
  const chosen = argument(args, '--only')?.split(',') ?? Object.keys(parts);
  const pages = realPages(corpora);
  const found: Record<string, ProofResult> = {};
  for (const name of chosen) {
    const part = parts[name];
    if (!part) throw new Error(`--only is one of: ${Object.keys(parts).join(' ')}`);
    found[name] = await part({ quick, args, corpora, pages });
    console.error(`  ${name}: ${found[name].ok ? 'holds' : 'DOES NOT HOLD'}`);
  }
  const all = Object.values(found);
  return {
    ok: all.every(({ ok }) => ok),
    tooSlow: all.some(({ tooSlow }) => tooSlow),
    result: {
      ...Object.fromEntries(Object.entries(found).map(([name, { result }]) => [name, result])),
      sizes: { pages: pages.length, parts: all.length },
    },
  };
}
