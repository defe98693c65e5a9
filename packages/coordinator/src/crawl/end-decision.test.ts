import { expect, it } from 'vitest';
import { createEndDecision } from './end-decision.ts';

it('ends as was decided first, and says so at once', async () => {
  const end = createEndDecision();
  expect(end.isEnding).toBe(false);
  end.as('finished');
  end.as('stopped');
  end.fail(new Error('too late'));
  expect([end.isEnding, await end.decided]).toEqual([true, 'finished']);
});

it('fails with a fault, whoever waits for it', async () => {
  const end = createEndDecision();
  end.fail(new Error('a fault'));
  end.as('stopped');
  expect(end.isEnding).toBe(true);
  await expect(end.decided).rejects.toThrow('a fault');
});

it('is hurried apart from being over', () => {
  const end = createEndDecision();
  end.hurry();
  expect([end.hurried.aborted, end.over.aborted]).toEqual([true, false]);
  end.complete();
  expect(end.over.aborted).toBe(true);
});
