import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { misfitOf } from '../../test/faults/changed-source.ts';
import { planted } from './planted.ts';

test('the loop that the comparison must find fits the source', () => {
  const source = readFileSync(join(import.meta.dirname, '../..', planted.file), 'utf8');
  expect(misfitOf(planted, source)).toBeUndefined();
});
