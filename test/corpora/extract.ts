import { join } from 'node:path';
import { readWptCases, wptDeviations } from '../../packages/protocol/src/url/wpt.fixture.ts';
import { charsetSamples } from '../../packages/worker/src/extract/charset-samples.fixture.ts';
import { charsetOf, decodeText } from '../../packages/worker/src/extract/charset.ts';
import { runEncodingCases } from '../../packages/worker/src/extract/encoding-cases.fixture.ts';
import { agreementOn } from '../../packages/worker/src/extract/links-reference.fixture.ts';
import { extractLinks } from '../../packages/worker/src/extract/links.ts';
import { runTokenizerCases, tags } from '../../packages/worker/src/extract/tokenizer-cases.fixture.ts';
import type { ProofResult } from '../prove.ts';
import type { Reading } from './real-pages.ts';

const wanted = 0.999;
/** Pages of the corpus that the check of the check looks at. */
const selfCheckPages = 10;

/** Pages, tags, charsets and URLs are read as the standards say, measured against outside judges. */
export async function judgeExtract({ corpora, quick }: Reading): Promise<ProofResult> {
  const blind = whatThisCannotSee(corpora);
  const { pages, links, recall, precision, differences } = agreementOn(join(corpora, 'html-pages'));
  tell('links', differences);
  const tokenizer = runTokenizerCases(tokenizerFolder(corpora));
  tell(
    'tokenizer',
    tokenizer.differences.map(({ file, description, state }) => `${file}: ${description} (${state})`),
  );
  const charsets = readCharsets();
  tell('charsets', charsets.wrong);
  const encodings = runEncodingCases(encodingFolder(corpora));
  tell('declared encodings', encodings.differences);
  const cases = readWptCases(corpora);
  const urlDeviations = wptDeviations(cases);
  // What the platform's own parser reads otherwise is named, not ours to mend.
  const ofNode = new Set(wptDeviations(cases, (input, base) => URL.parse(input, base)));
  const ownDeviations = urlDeviations.filter((name) => !ofNode.has(name));
  tell(`URLs (${ofNode.size} of them Node's own)`, urlDeviations);
  const ok =
    blind.length === 0 &&
    pages > 0 &&
    recall >= wanted &&
    precision >= wanted &&
    tokenizer.cases > 0 &&
    tokenizer.differences.length === 0 &&
    charsets.wrong.length === 0 &&
    encodings.cases > 0 &&
    encodings.differences.length === 0 &&
    ownDeviations.length === 0;
  return {
    ok,
    result: {
      pages,
      links,
      recall: Number(recall.toFixed(5)),
      precision: Number(precision.toFixed(5)),
      linkDifferences: differences.length,
      tokenizerCases: tokenizer.cases,
      tokenizerDifferences: tokenizer.differences,
      // They begin in a state that no page reaches: within a title that only `</xmp>` may end.
      tokenizerLeftOut: tokenizer.left,
      charsets: charsets.right,
      charsetsWrong: charsets.wrong,
      encodingCases: encodings.cases,
      encodingDifferences: encodings.differences,
      encodingAccepted: encodings.accepted,
      urlCases: cases.length,
      urlDeviations,
      ownUrlDeviations: ownDeviations.length,
      blind,
      sizes: { pages, quick },
    },
  };
}

const tokenizerFolder = (corpora: string): string => join(corpora, 'html5lib-tokenizer', 'tokenizer');

const encodingFolder = (corpora: string): string => join(corpora, 'html5lib-tokenizer', 'encoding');

function tell(what: string, differences: string[]): void {
  console.error(`${what}: ${differences.length} differences`);
  for (const difference of differences.slice(0, 20)) console.error(`  ${difference}`);
}

/** Each encoding three ways: named by the header, named by the page, and named by nobody. */
function readCharsets(decode: typeof decodeText = decodeText): { right: number; wrong: string[] } {
  const wrong: string[] = [];
  const look = (how: string, declared: boolean, header: boolean): void => {
    for (const { charset, guessed, text, bytes } of charsetSamples(declared)) {
      const found = charsetOf(bytes, header ? { label: charset } : {});
      const expected = declared || header ? charset : guessed;
      if (found !== expected || decode(bytes, found) !== text)
        wrong.push(`${charset} ${how}: read as ${found}`);
    }
  };
  look('named by the header', false, true);
  look('named by the page', true, false);
  look('named by nobody', false, false);
  const faulty = new Set(wrong.map((line) => line.split(' ', 1)[0]));
  return { right: charsetSamples(false).filter(({ charset }) => !faulty.has(charset)).length, wrong };
}

/** Readers with a fault each, which the checks above must notice. Answers those that went unseen. */
function whatThisCannotSee(corpora: string): string[] {
  const unseen: string[] = [];
  const folder = join(corpora, 'html-pages');
  const losing = agreementOn(folder, {
    pages: selfCheckPages,
    extract: (html, options) => {
      const page = extractLinks(html, options);
      return { ...page, links: page.links.filter((_, at) => at % 100 !== 1) };
    },
  });
  if (losing.recall >= wanted) unseen.push('a lost link in a hundred');
  const inventing = agreementOn(folder, {
    pages: selfCheckPages,
    // Takes what stands in comments for part of the page.
    extract: (html, options) =>
      extractLinks(html.replaceAll('<!--', '<p>').replaceAll('-->', '</p>'), options),
  });
  if (inventing.precision >= wanted) unseen.push('links in comments');
  const shouting = runTokenizerCases(tokenizerFolder(corpora), (html, options) =>
    tags(html.replaceAll("'", '"'), options),
  );
  if (shouting.differences.length === 0) unseen.push('quotes of one kind only');
  if (readCharsets((bytes) => bytes.toString('latin1')).wrong.length === 0)
    unseen.push('latin1 for everything');
  if (runEncodingCases(encodingFolder(corpora), () => 'utf-8').differences.length === 0)
    unseen.push('UTF-8 for everything');
  const deaf = wptDeviations(readWptCases(corpora), (input, base) => URL.parse(input.toLowerCase(), base));
  if (deaf.length === 0) unseen.push('URLs in lower case');
  return unseen;
}
