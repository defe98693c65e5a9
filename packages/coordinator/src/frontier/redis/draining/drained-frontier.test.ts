import { systemClock } from '@webfarer/protocol';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { redisForFile } from '../../../../../../test/redis/for-file.ts';
import { compareSequence } from '../../model/compare.model.ts';
import { frontierSuite } from '../../suite/frontier.suite.ts';
import { foundSequences } from '../../model/found.model.ts';
import { sequences } from '../../model/steps.model.ts';
import { comparedRedis } from '../compared.fixture.ts';
import { openRedisFrontier } from '../redis-frontier.ts';
import { openStore } from '../../../redis/store.ts';
import { alwaysDrained, drainedTo } from './drained.fixture.ts';

const servers = redisForFile({ settings: { appendonly: 'no' } });
const made: { remove(): void }[] = [];
afterAll(() => {
  for (const { remove } of made) remove();
});

frontierSuite({
  name: 'Redis, every result drained to a file at once',
  async open(clock) {
    const { url } = await servers();
    const store = await openStore({ url, replicas: 0, clock: systemClock() });
    await store.run([{ key: '{wf}', args: ['FLUSHALL'] }]);
    const drained = drainedTo();
    made.push(drained);
    const backlog = { ...drained.backlog, onlyWhenAsked: true };
    return alwaysDrained(await openRedisFrontier({ store, clock, time: 'given', groups: 16, backlog }));
  },
});

/** A test is told the same story every time; `npm run prove -- model` looks for new ones. */
const seed = 12;

describe('the frontier that drains, and the plain model', () => {
  it('do the same in 30 sequences of commands', async () => {
    const drained = drainedTo();
    made.push(drained);
    const store = await comparedRedis((await servers()).url, 0, { ...drained.backlog, onlyWhenAsked: true });
    const property = fc.asyncProperty(sequences, (steps) => compareSequence(store, steps));
    const result = await fc.check(property, { numRuns: 30, seed });
    await store.close();
    expect(result.failed, `${fc.defaultReportMessage(result)}\n${String(result.errorInstance)}`).toBe(false);
  });

  it.each(foundSequences)('%s', async (_what, steps) => {
    const drained = drainedTo();
    made.push(drained);
    const store = await comparedRedis((await servers()).url, 0, { ...drained.backlog, onlyWhenAsked: true });
    await compareSequence(store, steps);
    await store.close();
  });
});
