import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { formKinds } from '../../packages/worker/src/forms/form.ts';
import { readPages } from './corpus.ts';
import { examplesOf, train } from './model.ts';

/**
 * `WEBFARER_CORPORA=... node test/forms/train-weights.ts` writes the weights of the model anew, from the half of the
 * corpus that is there to write on. The other half is not opened.
 */
const corpora = process.env.WEBFARER_CORPORA;
if (corpora === undefined) throw new Error('WEBFARER_CORPORA does not name the folder of corpora');
const examples = examplesOf(readPages(corpora, 'written-on'));
const weights = train(examples);
const lines = formKinds.flatMap((kind) => {
  const own = Object.entries(weights[kind]).map(([fact, weight]) => `'${fact}': ${weight},`);
  return [`  ${kind}: {`, ...wrapped(own).map((line) => `    ${line}`), '  },'];
});
const text = [
  "import type { Weights } from './form-kind.ts';",
  '',
  `/** Made by test/forms/train-weights.ts from ${examples.length} forms; train again rather than edit. */`,
  '// biome-ignore format: lines as full as they go',
  'export const weights: Weights = {',
  ...lines,
  '};',
  '',
].join('\n');
writeFileSync(join(resolve(import.meta.dirname, '../..'), 'packages/worker/src/forms/weights.ts'), text);

function wrapped(words: readonly string[]): string[] {
  const full: string[] = [];
  for (const word of words) {
    const line = full.at(-1);
    if (line !== undefined && line.length + word.length < 110) full[full.length - 1] = `${line} ${word}`;
    else full.push(word);
  }
  return full;
}
