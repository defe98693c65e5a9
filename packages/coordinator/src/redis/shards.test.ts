import { systemClock, WebfarerError } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import type { GroupAnswer, GroupCall, GroupRunner } from './group-runner.ts';
import { scripts } from './client/scripts.ts';
import { createShards, dropLate } from './shards.ts';
import type { RedisStore } from './store.ts';

/** Groups 0 and 1 on one primary, 2 and 3 on another, whose answers come when told. */
function world(primaries = ['a:1', 'a:1', 'b:1', 'b:1']) {
  const slow = Promise.withResolvers<void>();
  const asked: number[] = [];
  const store = { primaryOf: (key: string) => primaries[Number(/\d/.exec(key)?.[0])] ?? '' };
  const runner = {
    async run(calls: GroupCall[]): Promise<GroupAnswer[]> {
      asked.push(...calls.map(({ group }) => group));
      if (calls.some(({ group }) => group >= 2)) await slow.promise;
      return calls.map(({ group }) => ({ kind: 'ok', values: [group] }));
    },
  };
  const shards = createShards({
    store: store as RedisStore,
    clock: systemClock(),
    runner: runner as unknown as GroupRunner,
    groups: primaries.length,
  });
  const call = (group: number): GroupCall => ({ group, script: scripts.sweep, args: [] });
  return { shards, slow, asked, calls: [0, 2, 1, 3].map(call) };
}

const valuesOf = (answers: (GroupAnswer | undefined)[]) =>
  answers.map((answer) => (answer?.kind === 'ok' ? answer.values[0] : undefined));

describe('primaries that do not answer', () => {
  it('hold up nobody else, and are asked again once they have answered', async () => {
    const { shards, slow, asked, calls } = world();
    const late: number[] = [];
    const answers = await shards.run(calls, { late: ({ group }) => late.push(group) });
    expect(valuesOf(answers)).toEqual([0, undefined, 1, undefined]);
    expect([0, 1, 2, 3].map(shards.isAway)).toEqual([false, false, true, true]);

    asked.length = 0;
    expect(valuesOf(await shards.run(calls, { skipAway: true, late: dropLate }))).toEqual([
      0,
      undefined,
      1,
      undefined,
    ]);
    expect(asked).toEqual([0, 1]);

    slow.resolve();
    await expect.poll(() => shards.anyAway()).toBe(false);
    expect(late).toEqual([2, 3]);
    expect(valuesOf(await shards.run(calls, { skipAway: true, late: dropLate }))).toEqual([0, 2, 1, 3]);
  });

  it('are no error while others answer, but one when nobody does', async () => {
    const silent = new WebfarerError('store-silent', 'nothing');
    const { shards, slow, calls } = world();
    slow.promise.catch(() => undefined);
    slow.reject(silent);
    expect(valuesOf(await shards.run(calls, { late: dropLate }))).toEqual([0, undefined, 1, undefined]);
    expect(shards.anyAway()).toBe(false);
    await expect(shards.run(calls.slice(1, 2), { late: dropLate })).rejects.toBe(silent);
  });

  it('are waited for when there is no other', async () => {
    const { shards, slow, calls } = world(['b:1', 'b:1', 'b:1', 'b:1']);
    let answered = false;
    const answers = shards.run(calls, { late: dropLate }).then((all) => {
      answered = true;
      return all;
    });
    await new Promise((done) => setTimeout(done, 0));
    expect(answered).toBe(false);
    slow.resolve();
    expect(valuesOf(await answers)).toEqual([0, 2, 1, 3]);
  });
});
