import { expect, test } from 'vitest';
import type { Mutant } from '../../test/mutants/mutant.ts';
import { borders } from './borders.ts';
import { browserSafe } from './browser-safe.ts';
import { ciHeaders } from './ci-headers.ts';
import { confined } from './confined.ts';
import { cycles, folderCycles } from './cycles.ts';
import { dependencies } from './dependencies.ts';
import { namedExports } from './exports.ts';
import { figures, figuresIn } from './figures.ts';
import { folderSize, functionSize } from './limits.ts';
import { misfits, mutantsFit } from './mutants.ts';
import { namesInGuides } from './names.ts';
import { ports } from './ports.ts';
import { type Kind, projectOf, type Rule } from './project.ts';
import { references } from './references.ts';
import { rules } from './rules.ts';
import { size } from './size.ts';
import { workerStages } from './stages.ts';
import { threats } from './threats.ts';

type Files = Record<string, string>;

interface Planted {
  rule: Rule;
  /** What finds the fault, where the rule itself is about this project and no other. */
  as?: Rule;
  /** For each kind of file, files with a fault that only a rule which reads that kind can find. */
  faults: Partial<Record<Kind, Files>>;
}

const manifest = (name: string, more: object = {}): string =>
  JSON.stringify({ name, exports: { '.': './src/index.ts' }, ...more });
const whole: Files = {
  'package.json': manifest('workspace'),
  'packages/protocol/package.json': manifest('@webfarer/protocol'),
  'packages/coordinator/package.json': manifest('@webfarer/coordinator'),
  'packages/worker/package.json': manifest('@webfarer/worker'),
  'packages/console/package.json': manifest('@webfarer/console'),
  'packages/protocol/src/index.ts': 'export const one = 1;',
  'docs/commands.md': '### `webfarer crawl <url>`\n',
  'docs/reference.md': '### Page\n\n| `url: Url` | |\n\n### Links\n',
};

/** The same fault in a file of TypeScript and in one with JSX around it, which a lexer must get past. */
const inBoth = (path: string, code: string, more: (extension: string) => Files = () => ({})) => ({
  ts: { [`${path}.ts`]: code, ...more('ts') },
  tsx: { [`${path}.tsx`]: `const a = <p>it's /* {"</p>"}</p>;\n${code}`, ...more('tsx') },
});
const many = (extension: string): Files =>
  Object.fromEntries(Array.from({ length: 23 }, (_, i) => [`packages/worker/src/a/${i}.${extension}`, '']));

const misfit = (file: string): Rule => {
  const mutant: Mutant = {
    name: 'm',
    why: 'A test of the rule.',
    file,
    from: 'gone',
    to: '',
    killer: { test: 'packages/worker/src/a.test.ts', case: 'a' },
  };
  return { ...mutantsFit, find: ({ sources, pages }) => misfits([mutant], sources, pages) };
};
const killer: Files = { 'packages/worker/src/a.test.ts': "it('a')" };
const sentence = figuresIn([
  {
    page: 'docs/a.md',
    says: 'at most {} rows',
    figures: [{ file: 'packages/worker/src/a.ts', name: 'rows' }],
  },
]);

const planted: readonly Planted[] = [
  {
    rule: cycles,
    faults: inBoth('packages/worker/src/a', `import './b.ts';`, (extension) => ({
      'packages/worker/src/b.ts': `import './a.${extension}';`,
    })),
  },
  {
    rule: folderCycles,
    faults: inBoth('packages/worker/src/a/b/c', `import '../../d/e.ts';`, (extension) => ({
      [`packages/worker/src/d/e.ts`]: '',
      [`packages/worker/src/d/f.${extension}`]: `import '../a/g.ts';`,
      'packages/worker/src/a/g.ts': '',
    })),
  },
  {
    rule: borders,
    faults: {
      ...inBoth('packages/console/browser/a', `import '@webfarer/coordinator';`),
      manifest: {
        'packages/worker/package.json': manifest('@webfarer/worker', { exports: {} }),
        'packages/cli/src/a.ts': `import '@webfarer/worker';`,
      },
    },
  },
  { rule: workerStages, faults: inBoth('packages/worker/src/save/a', `import '../fetch/b.ts';`) },
  {
    rule: browserSafe,
    faults: {
      ...inBoth('packages/protocol/src/a', `import 'node:fs';`, (extension) => ({
        'packages/protocol/src/index.ts': `import './a.${extension}';`,
      })),
      manifest: {
        'packages/protocol/package.json': manifest('@webfarer/protocol', {
          exports: { './b': './src/b.ts' },
        }),
        'packages/protocol/src/b.ts': `import 'node:fs';`,
      },
    },
  },
  {
    rule: size,
    faults: {
      ...inBoth('packages/worker/src/a', 'x;\n'.repeat(501)),
      lua: { 'packages/coordinator/src/a.lua': 'x\n'.repeat(501) },
    },
  },
  { rule: functionSize, faults: inBoth('packages/worker/src/a', `function f() {\n${'x();\n'.repeat(120)}}`) },
  { rule: folderSize, faults: { ts: many('ts'), tsx: many('tsx'), lua: many('lua') } },
  {
    rule: dependencies,
    faults: {
      ...inBoth('packages/console/browser/a', `import 'sax';`),
      manifest: {
        'packages/worker/package.json': manifest('@webfarer/worker', { dependencies: { sax: '1' } }),
      },
    },
  },
  { rule: ciHeaders, faults: { ts: { 'test/prove/a.ts': 'export async function prove() {}' } } },
  { rule: confined, faults: inBoth('packages/console/browser/a', 'new URL(b);') },
  { rule: confined, faults: inBoth('packages/worker/src/a', 'new RegExp(b);') },
  { rule: namedExports, faults: inBoth('packages/console/browser/a', 'export default 1;') },
  {
    rule: ports,
    faults: inBoth('packages/console/browser/a', 'export interface P { go(): void; stop?(): void; }'),
  },
  ...(['ts', 'tsx', 'lua', 'md'] as const).map((kind): Planted => {
    const file = kind === 'md' ? 'docs/a.md' : `packages/worker/src/a.${kind}`;
    return { rule: mutantsFit, as: misfit(file), faults: { [kind]: { ...killer, [file]: 'here' } } };
  }),
  {
    rule: references,
    faults: {
      ...inBoth('packages/worker/src/a', '// See docs/gone.md\nexport const a = 1;'),
      lua: { 'packages/coordinator/src/a.lua': '-- See docs/gone.md' },
      md: { 'docs/a.md': '[gone](gone.md)' },
    },
  },
  {
    rule: figures,
    as: sentence,
    faults: {
      ts: { 'docs/a.md': 'at most 5 rows', 'packages/worker/src/a.ts': 'const rows = 6;' },
      md: { 'docs/a.md': 'at most 6 rows', 'packages/worker/src/a.ts': 'const rows = 5;' },
    },
  },
  { rule: namesInGuides, faults: { md: { 'docs/a.md': '`webfarer crwal`' } } },
  { rule: threats, faults: { md: { 'SECURITY.md': '| 1 | a | b | nobody looked | |' } } },
];

/** Findings, but for those about exceptions that a made-up project does not need. */
const findings = (rule: Rule, files: Files): string[] =>
  rule
    .find(projectOf(new Map(Object.entries({ ...whole, ...files }))))
    .filter(({ path }) => !path.startsWith('scripts/check/'))
    .map(({ path, line, message }) => `${path}:${line} ${message}`);

test.each(rules.map((rule) => [rule.name, rule] as const))('%s: a fault for each kind of file', (_, rule) => {
  const own = planted.filter((each) => each.rule === rule);
  const kinds = own.flatMap(({ faults }) => Object.keys(faults));
  expect(new Set(kinds)).toEqual(new Set(rule.reads));
  for (const { as = rule, faults } of own) {
    if (as === rule) expect(findings(as, {})).toEqual([]);
    for (const [kind, files] of Object.entries(faults))
      expect([kind, findings(as, files)]).not.toEqual([kind, []]);
  }
});
