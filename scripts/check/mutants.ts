import { misfitOf } from '../../test/faults/changed-source.ts';
import { mutants } from '../../test/mutants/all.ts';
import { changesOf, type Mutant } from '../../test/mutants/mutant.ts';
import type { Finding, Rule, Source } from './project.ts';

/** A mutant that no longer fits the source, or whose killer is gone, shows nothing: it must move with the code. */
export const mutantsFit: Rule = {
  name: 'mutants fit the source',
  reads: ['ts', 'tsx', 'lua', 'md'],
  find: ({ sources, pages }) => [...misfits(mutants, sources, pages), ...changesThatDoNotFit(sources)],
};

const change =
  /file:\s*'(packages\/[^']+)',\s*from:\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\$]|\\.)*`)\s*,/g;

/** Proofs change a copy of the product for their controls. One that does not fit any more would be seen when it runs. */
export function changesThatDoNotFit(sources: readonly Source[]): Finding[] {
  const texts = new Map(sources.map(({ path, text }) => [path, text]));
  return sources
    .filter(({ path }) => /^(test|bench)\//.test(path) && !/^test\/mutants\/|\.test\.ts$/.test(path))
    .flatMap(({ path, text }) =>
      Array.from(text.matchAll(change), ({ 1: file = '', 2: literal = '', index }) => {
        const from = literal
          .slice(1, -1)
          .replace(/\\(.)/gs, (_, sign: string) => (sign === 'n' ? '\n' : sign));
        const message = misfitOf({ file, from }, texts.get(file));
        return message === undefined
          ? []
          : [{ path, line: text.slice(0, index).split('\n').length, message }];
      }).flat(),
    );
}

export function misfits(
  all: readonly Mutant[],
  sources: readonly Source[],
  pages: readonly Pick<Source, 'path' | 'text'>[] = [],
): Finding[] {
  const texts = new Map([...sources, ...pages].map(({ path, text }) => [path, text]));
  const tests = sources.filter(({ path }) => /\.(test|suite|model)\.tsx?$/.test(path));
  return all.flatMap((mutant) => {
    const changes = changesOf(mutant).map((change) => misfitOf(change, texts.get(change.file)));
    const found = [...changes, missingKiller(mutant, texts, tests)];
    return found.flatMap((message) =>
      message === undefined ? [] : [{ path: 'test/mutants', line: 1, message: `${mutant.name}: ${message}` }],
    );
  });
}

/** Characters of the name of a case by which it is found. */
const enoughOfATitle = 25;

function missingKiller(
  { killer }: Mutant,
  texts: ReadonlyMap<string, string>,
  tests: readonly Source[],
): string | undefined {
  const file = 'test' in killer ? killer.test : `test/prove/${killer.proof}.ts`;
  if (!texts.has(file)) return `the killer ${file} does not exist`;
  if (!('test' in killer)) return undefined;
  // The case may stand in a suite or a list that several files run, and its name may end with what a table says.
  const title = killer.case.split(' > ').at(-1) ?? '';
  const begin = title.slice(0, enoughOfATitle);
  const isThere = tests.some(({ text }) => text.replaceAll("\\'", "'").includes(begin));
  return isThere ? undefined : `no test has a case "${title}"`;
}
