// watches: packages/worker/src/page, packages/worker/src/extract, packages/worker/src/main-content, test/challenges
// misses: bot challenges stored as pages, and pages taken for challenges
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Url } from '@webfarer/protocol';
import { normaliser } from '@webfarer/protocol/url';
import { challengeOf } from '../../packages/worker/src/page/challenge.ts';
import { readDocument } from '../../packages/worker/src/page/document.ts';
import { challenges, type MadeAnswer, ordinary } from '../challenges/made-pages.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';

const folders = ['html-pages', 'article-extraction/html', 'login-forms/html'];
/** Of real pages, a search of the body must stay the exception. */
const mostSearched = 0.2;

/** Challenges of each service are recognised, and not one of several hundred real pages is taken for one. */
export async function prove({ quick }: ProofOptions): Promise<ProofResult> {
  const corpora = process.env.WEBFARER_CORPORA;
  if (corpora === undefined || !folders.every((folder) => existsSync(join(corpora, folder))))
    return { ok: false, result: { skipped: 'WEBFARER_CORPORA does not name the folder of corpora' } };
  const missed = challenges
    .filter((answer) => !look(answer).found)
    .map(({ name, status }) => `${name} ${status}`);
  const wrong = ordinary.filter((answer) => look(answer).found).map(({ name }) => name);
  const falsePositives: string[] = [];
  let pages = 0;
  let searched = 0;
  for (const { name, body } of realPages(corpora, quick)) {
    pages += 1;
    const { found, isSearched } = look({ name, status: 200, headers: [['Content-Type', 'text/html']], body });
    if (isSearched) searched += 1;
    if (found) falsePositives.push(`${name}: ${found.by} (${found.sign})`);
  }
  const searchedShare = Number((searched / pages).toFixed(4));
  const ok =
    missed.length === 0 &&
    wrong.length === 0 &&
    falsePositives.length === 0 &&
    pages > 100 &&
    searchedShare <= mostSearched;
  const made = { challenges: challenges.length, ordinary: ordinary.length };
  return { ok, result: { missed, wrong, falsePositives, searchedShare, sizes: { pages, ...made, quick } } };
}

const normalise = normaliser({ enabled: false, sort: false, strip: [] });

/** As a crawl looks at an answer: with what was read of the page. */
function look({ status, headers, body }: MadeAnswer) {
  const url = 'https://example.org/' as Url;
  const document = readDocument({ url, headers, body: Buffer.from(body), normalise, agentToken: 'webfarer' });
  let isSearched = false;
  const source = () => {
    isSearched = true;
    return body;
  };
  return { found: challengeOf({ status, statusText: '', headers }, source, document), isSearched };
}

function* realPages(corpora: string, quick: boolean): Iterable<{ name: string; body: string }> {
  for (const folder of folders) {
    const names = readdirSync(join(corpora, folder)).filter((name) => /\.html(?:\.gz)?$/.test(name));
    for (const [at, name] of names.toSorted().entries()) {
      if (quick && at % 3 !== 0) continue;
      const bytes = readFileSync(join(corpora, folder, name));
      yield {
        name: `${folder}/${name}`,
        body: (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'),
      };
    }
  }
}
