import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redisForFile } from '../../../../../test/redis/for-file.ts';
import { compareSequence } from '../model/compare.model.ts';
import { foundSequences } from '../model/found.model.ts';
import { sequences } from '../model/steps.model.ts';
import { comparedRedis } from './compared.fixture.ts';

const servers = redisForFile({ settings: { appendonly: 'no' } });

/** A test is told the same story every time; `npm run prove -- model` looks for new ones. */
const seed = 12;

describe('the frontier on Redis and the plain model', () => {
  // `npm run prove -- model --store redis` runs 20,000.
  it('do the same in 60 sequences of commands', async () => {
    const store = await comparedRedis((await servers()).url, 0);
    const property = fc.asyncProperty(sequences, (steps) => compareSequence(store, steps));
    const result = await fc.check(property, { numRuns: 60, seed });
    await store.close();
    expect(result.failed, `${fc.defaultReportMessage(result)}\n${String(result.errorInstance)}`).toBe(false);
  });

  it.each(foundSequences)('%s', async (_what, steps) => {
    const store = await comparedRedis((await servers()).url, 0);
    await compareSequence(store, steps);
    await store.close();
  });
});
