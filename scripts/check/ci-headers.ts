import { headerOf } from '../ci/header.ts';
import { kindOf } from '../ci/kind.ts';
import type { Rule } from './project.ts';

/** CI selects proofs and benches by what they say they watch: one that says nothing would run by chance. */
export const ciHeaders: Rule = {
  name: 'proofs and benches say what they watch',
  reads: ['ts'],
  find: ({ sources, paths }) =>
    sources.flatMap((source) => {
      const kind = kindOf(source);
      if (kind === undefined) return [];
      const { watches, misses } = headerOf(source.text);
      const wrong = watches
        .filter((path) => !paths.has(path))
        .map((path) => `watches ${path}, which does not exist`);
      if (kind !== 'test' && watches.length === 0)
        wrong.push('needs a line "// watches: FOLDER, FOLDER": what may break it');
      if (kind !== 'test' && misses === '')
        wrong.push('needs a line "// misses: ...": what nobody would notice without it');
      return wrong.map((message) => ({ path: source.path, line: 1, message }));
    }),
};
