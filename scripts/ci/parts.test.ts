// watches: packages, test, bench, docs, scripts
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mutants } from '../../test/mutants/all.ts';
import { changesOf } from '../../test/mutants/mutant.ts';
import { projectOf, readProject } from '../check/project.ts';
import { partsOf } from './parts.ts';

const project = readProject(resolve(import.meta.dirname, '../..'));
const parts = partsOf(project);
const byId = new Map(parts.map((part) => [part.id, part]));

describe('the parts of this project', () => {
  it('have about a dozen at the core', () => {
    const core = parts.filter(({ core: isCore }) => isCore).length;
    expect(core).toBeGreaterThanOrEqual(10);
    expect(core).toBeLessThanOrEqual(13);
  });

  it('leave no file of the product without a part that runs when it changes', () => {
    const shipped = project.sources.filter(({ inPackages, isTest }) => inPackages && !isTest);
    // Not counted: what runs whatever changes, and benches, whose smoke judges nothing.
    const judging = parts.filter(
      ({ core, kind, watches }) => !core && kind !== 'bench' && !watches.includes('packages'),
    );
    const alone = shipped.filter(({ path }) => !judging.some((part) => part.isNear(path)));
    expect(alone.map(({ path }) => path)).toEqual([]);
  });
});

it('each planted fault selects the part that finds it', () => {
  const missed = mutants.filter((mutant) => {
    const { killer } = mutant;
    const part = byId.get('test' in killer ? killer.test : `prove ${killer.proof}`);
    return !changesOf(mutant).every(({ file }) => part?.core === true || part?.isNear(file) === true);
  });
  expect(missed.map(({ name }) => name)).toEqual([]);
});

describe('a part', () => {
  const files = (texts: Record<string, string>) =>
    partsOf(
      projectOf(new Map(Object.entries(texts)), new Set([...Object.keys(texts), 'packages/a/src/lua'])),
    );
  const near = (texts: Record<string, string>, id: string, changed: string) =>
    files(texts)
      .find((part) => part.id === id)
      ?.isNear(changed);
  const manifest = JSON.stringify({ name: '@webfarer/a', exports: { '.': './src/index.ts' } });
  const barrel = {
    'packages/a/package.json': manifest,
    'packages/a/src/index.ts': "export { one } from './one.ts';\nexport { two } from './two.ts';",
    'packages/a/src/one.ts': 'export const one = 1;',
    'packages/a/src/two.ts': "import type { T } from './types.ts';\nexport const two = 2;",
    'packages/a/src/types.ts': 'export type T = 1;',
  };
  const test = 'packages/b/src/b.test.ts';

  it('that is a test is near what it imports, name by name', () => {
    const texts = { ...barrel, [test]: "import { two } from '@webfarer/a';" };
    expect(near(texts, test, 'packages/a/src/two.ts')).toBe(true);
    expect(near(texts, test, 'packages/a/src/index.ts')).toBe(true);
    expect(near(texts, test, 'packages/a/src/one.ts')).toBe(false);
    expect(near(texts, test, 'packages/a/src/types.ts')).toBe(false);
  });

  it('that is a test is near programs and folders that its strings name', () => {
    const texts = {
      ...barrel,
      [test]:
        "spawn(join(root, 'packages/a/src/two.ts')); read(join(import.meta.dirname, '../../a/src/lua'));",
    };
    expect(near(texts, test, 'packages/a/src/two.ts')).toBe(true);
    expect(near(texts, test, 'packages/a/src/lua')).toBe(true);
  });

  it('that is a proof is near what it watches and its own parts, not what it loads of the product', () => {
    const proof =
      "import { two } from '@webfarer/a';\nimport { web } from '../web.ts';\nexport function prove() {}";
    const texts = {
      ...barrel,
      'test/web.ts': 'export const web = 1;',
      'test/prove/x.ts': `// watches: packages/a/src/one.ts\n${proof}`,
    };
    expect(near(texts, 'prove x', 'test/web.ts')).toBe(true);
    expect(near(texts, 'prove x', 'packages/a/src/one.ts')).toBe(true);
    expect(near(texts, 'prove x', 'packages/a/src/two.ts')).toBe(false);
    expect(near(texts, 'prove x', 'package-lock.json')).toBe(true);
  });
});
