import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { randomNumbers } from '../../bench/random.ts';
import { readJsonLd } from '../../packages/worker/src/facts/json-ld.ts';
import { createFacts } from '../../packages/worker/src/facts/page-facts.ts';
import { surveyPage } from '../../packages/worker/src/facts/survey.ts';
import { readTree, type Tree } from '../../packages/worker/src/tree/tree.ts';
import { pythonFor } from '../outside/python.ts';
import { argument } from '../prove/lab.ts';
import type { ProofResult } from '../prove.ts';
import { canonical, type Difference, differences, type Found, type Judged } from '../structured/compare.ts';
import { type MadePage, madePage } from '../structured/made-pages.ts';
import type { Reading, TestPage } from './real-pages.ts';

const sizes = { quick: { made: 300 }, full: { made: 3_000 } };

/**
 * Structured data is read off pages right: off pages that were made with known answers, and off the real pages of the
 * corpora as extruct reads it. Each difference from extruct has a class with a reason, and none is left over. Controls:
 * readers that lose a node, a property or an item are noticed both ways. `--seed N`.
 */
export async function judgeStructured({ quick, args, pages: real }: Reading): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const seed = Number(argument(args, '--seed') ?? Math.floor(Math.random() * 1e6));
  const random = randomNumbers(seed);
  const made = Array.from({ length: size.made }, (_, at) => madePage(at, random));
  const wrong = made.flatMap((page) => mistakes(page, read(page).found));
  for (const line of wrong.slice(0, 10)) console.error(`  ${line}`);

  const pages = real.map((page) => ({ page, ...read(page, page.tree()) }));
  const judged = await judge(pages.map(({ page, base }) => ({ ...page, base })));
  const compareAll = (change: (found: Found) => Found = (found) => found): Difference[] =>
    pages.flatMap(({ page, found, base }, at) =>
      differences(page.name, change(found), judged[at] as Judged, base),
    );
  const all = compareAll();
  const unexplained = all.filter(({ why }) => why === undefined);
  for (const { page, ours, theirs } of unexplained.slice(0, 10))
    console.error(`  ${page}: ${ours.slice(0, 300)}\n    extruct: ${theirs.slice(0, 300)}`);
  const unseen = Object.entries(faults).flatMap(([name, fault]) => [
    ...(compareAll(fault).some(({ why }) => why === undefined) ? [] : [`${name}, on real pages`]),
    ...(made.some((page) => mistakes(page, fault(read(page).found)).length > 0)
      ? []
      : [`${name}, on made pages`]),
  ]);
  const sum = (count: (found: Found) => number) =>
    pages.reduce((total, { found }) => total + count(found), 0);
  return {
    ok: wrong.length === 0 && unexplained.length === 0 && unseen.length === 0 && pages.length > 0,
    result: {
      madePages: made.length,
      mistakes: wrong.length,
      realPages: pages.length,
      scripts: sum(({ jsonLd }) => jsonLd.length),
      properties: sum(({ openGraph }) => Object.keys(openGraph).length),
      items: sum(({ microdata }) => microdata.length),
      explained: countBy(all.flatMap(({ why }) => why ?? [])),
      unexplained: unexplained.length,
      unseen,
      sizes: { ...size, seed },
    },
  };
}

function read(
  { html, url }: TestPage,
  tree: Tree = readTree(html, { xml: false }),
): { found: Found; base: string } {
  const { base, scripts } = surveyPage(tree, url);
  const parts = { url, title: undefined, language: undefined, canonical: undefined, jsonLd: undefined };
  const { microdata, openGraph, jsonLd } = createFacts({ ...parts, tree: () => tree });
  const byScript = scripts.map((script) => readJsonLd([script]));
  if (canonical(byScript.flat()) !== canonical(jsonLd)) byScript.push([...jsonLd]);
  return { found: { jsonLd: byScript, microdata, openGraph: openGraph.properties }, base };
}

/** Where what was found on a made page is not what was put there. */
function mistakes(page: MadePage, found: Found): string[] {
  const kinds = [
    ['JSON-LD', page.jsonLd, found.jsonLd.flat()],
    ['Open Graph', page.openGraph, found.openGraph],
    ['microdata', page.microdata, found.microdata],
  ] as const;
  return kinds
    .filter(([, right, own]) => canonical(right) !== canonical(own))
    .map(([kind, right, own]) => `${page.name}, ${kind}: ${canonical(own)}, not ${canonical(right)}`);
}

/** Readers with one fault each; the harm is certain wherever there is anything to lose. */
const faults: Record<string, (found: Found) => Found> = {
  'a lost node': (found) => ({ ...found, jsonLd: found.jsonLd.map((nodes) => nodes.slice(1)) }),
  'a lost property': (found) => ({
    ...found,
    openGraph: Object.fromEntries(Object.entries(found.openGraph).slice(1)),
  }),
  'a lost item': (found) => ({ ...found, microdata: found.microdata.slice(1) }),
  'properties in upper case': (found) => ({
    ...found,
    microdata: found.microdata.map(({ properties, ...item }) => ({
      ...item,
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, values]) => [name.toUpperCase(), values]),
      ),
    })),
  }),
};

/** What extruct finds on each page. */
async function judge(pages: { html: string; base: string }[]): Promise<Judged[]> {
  const script = join(import.meta.dirname, '../structured/judge.py');
  const child = spawn(await pythonFor('extruct'), [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(pages.map(({ html, base }) => `${JSON.stringify({ html, base })}\n`).join(''));
  const answers: Judged[] = [];
  for await (const line of createInterface({ input: child.stdout })) answers.push(JSON.parse(line) as Judged);
  if (answers.length !== pages.length)
    throw new Error(`extruct judged ${answers.length} of ${pages.length} pages`);
  return answers;
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
