import type { Finding, Rule, Source } from './project.ts';

/** The public surface is written by hand: no `export *`, and every export has a name of its own. */
export const namedExports: Rule = {
  name: 'exports',
  reads: ['ts', 'tsx'],
  find(project) {
    return project.sources.filter(({ inPackages }) => inPackages).flatMap(findings);
  },
};

function findings({ path, tokens }: Source): Finding[] {
  return tokens.flatMap((token, at) => {
    if (token.kind !== 'word') return [];
    const next = tokens[at + 1]?.text;
    const afterType = next === 'type' ? tokens[at + 2]?.text : next;
    const { line } = token;
    if (token.text === 'export' && afterType === '*')
      return [{ path, line, message: 'export * hides what is public' }];
    if (token.text === 'export' && next === 'default')
      return [{ path, line, message: 'default export; give it a name' }];
    if (token.text === 'as' && next === 'default' && tokens[at + 2]?.text !== 'from' && inExport(tokens, at))
      return [{ path, line, message: 'default export; give it a name' }];
    return [];
  });
}

/** Whether the nearest `export` or `import` to the left is an `export`. */
function inExport(tokens: Source['tokens'], at: number): boolean {
  for (let i = at; i >= 0; i--) {
    if (tokens[i]?.text === 'export') return true;
    if (tokens[i]?.text === 'import' || tokens[i]?.text === ';') return false;
  }
  return false;
}
