import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareSequence } from '../model/compare.model.ts';
import { foundSequences } from '../model/found.model.ts';
import { sequences } from '../model/steps.model.ts';
import { comparedSqlite } from './compared.fixture.ts';

/** A test is told the same story every time; `npm run prove -- model` looks for new ones. */
const seed = 12;

describe('the SQLite frontier and the plain model', () => {
  // `npm run prove -- model` runs 100,000.
  it.each([
    ['alone', false],
    ['with a host ledger', true],
  ])(
    'do the same in 300 sequences of commands, %s',
    async (_, withLedger) => {
      const store = comparedSqlite({ withLedger });
      const property = fc.asyncProperty(sequences, (steps) => compareSequence(store, steps));
      const result = await fc.check(property, { numRuns: 300, seed });
      store.close();
      expect(result.failed, `${fc.defaultReportMessage(result)}\n${String(result.errorInstance)}`).toBe(
        false,
      );
    },
    300_000,
  );

  it.each(foundSequences)('%s', async (_what, steps) => {
    const store = comparedSqlite();
    await compareSequence(store, steps);
    store.close();
  });
});
