import { expect, test } from 'vitest';
import type { Mutant } from '../../test/mutants/mutant.ts';
import { changesThatDoNotFit, misfits } from './mutants.ts';
import { projectOf } from './project.ts';

const files = {
  'package.json': '{}',
  'packages/worker/src/gap.ts': 'export const gapMs = 1000;',
  'packages/worker/src/gap.test.ts': "it('keeps the gap', () => {});",
};
const short: Mutant = {
  name: 'short-gap',
  why: 'Hosts would suffer.',
  file: 'packages/worker/src/gap.ts',
  from: '1000',
  to: '1',
  killer: { test: 'packages/worker/src/gap.test.ts', case: 'pace > keeps the gap' },
};

const findings = (mutant: Mutant): string[] =>
  misfits([mutant], projectOf(new Map(Object.entries(files))).sources).map(({ message }) => message);

test('mutants: one that fits is fine', () => {
  expect(findings(short)).toEqual([]);
});

test.each([
  ['text that is gone', { from: '2000' }, 'found 0 times'],
  ['text that stands there twice', { from: '0' }, 'found 3 times'],
  ['a file that is gone', { file: 'packages/worker/src/pause.ts' }, 'does not exist'],
  [
    'a killer that is gone',
    { killer: { proof: 'gap', args: [], field: 'short' } },
    'the killer test/prove/gap',
  ],
  ['a case that is gone', { killer: { ...short.killer, case: 'keeps a gap' } }, 'no test has a case'],
])('mutants: finds %s', (_, change, message) => {
  expect(findings({ ...short, ...change } as Mutant)).toEqual([expect.stringContaining(message)]);
});

test('mutants: a change of a proof fits as well', () => {
  const proofOf = (from: string) => ({
    ...files,
    'packages/worker/src/gap.ts': "export const gapMs = 1000;\nexport const why = 'gap';",
    'test/prove/gap.ts': `const changes = [\n  { file: 'packages/worker/src/gap.ts', from: ${from}, to: '' },\n];`,
  });
  const found = (from: string) =>
    changesThatDoNotFit(projectOf(new Map(Object.entries(proofOf(from)))).sources).map(
      ({ path, line, message }) => `${path}:${line} ${message}`,
    );
  for (const literal of ["'1000;\\nexport'", '`why`', '"= \'gap\'"', "'\\'gap\\''"])
    expect(found(literal)).toEqual([]);
  expect(found("'2000'")).toEqual([expect.stringMatching(/^test\/prove\/gap\.ts:2 .*found 0 times/)]);
});
