import { projectOf, type Rule } from './project.ts';

export const manifest = (name: string, more: Record<string, unknown> = {}): string =>
  JSON.stringify({ name, exports: { '.': './src/index.ts' }, ...more });

/** `path:line message` of each finding of a rule in a project of these files. */
export function findings(rule: Rule, files: Record<string, string>): string[] {
  const all = {
    'package.json': manifest('workspace', { devDependencies: { vitest: '5' } }),
    'packages/protocol/package.json': manifest('@webfarer/protocol'),
    'packages/coordinator/package.json': manifest('@webfarer/coordinator'),
    'packages/worker/package.json': manifest('@webfarer/worker'),
    'packages/cli/package.json': manifest('webfarer'),
    'packages/protocol/src/index.ts': 'export const one = 1;',
    ...files,
  };
  return rule
    .find(projectOf(new Map(Object.entries(all))))
    .map(({ path, line, message }) => `${path}:${line} ${message}`);
}
