import type { ScopePreview } from '@webfarer/protocol/api';
import { expect, it } from 'vitest';
import { addStep, emptySum } from './preview-sum.ts';

const step = (changes: Partial<ScopePreview>): ScopePreview => ({
  dropped: 0,
  rules: [],
  otherRules: 0,
  restored: 0,
  restoredExamples: [],
  looked: { queued: 0, refused: 0 },
  ...changes,
});
const ruleOf = (rule: string, urls: number, examples = ['x']) => ({
  reason: 'excluded',
  rule,
  urls,
  examples,
});

it('adds up the steps, and is whole with the last one only', () => {
  const first = addStep(
    emptySum,
    step({
      dropped: 5,
      rules: [ruleOf('a', 2, ['1', '2']), ruleOf('b', 3, ['1', '2', '3'])],
      looked: { queued: 9, refused: 0 },
      next: 'q1',
    }),
  );
  expect([first.isWhole, first.rules.map(({ rule }) => rule)]).toEqual([false, ['b', 'a']]);
  const second = addStep(
    first,
    step({
      dropped: 4,
      rules: [ruleOf('a', 4, ['3', '4', '5', '6'])],
      restored: 2,
      restoredExamples: ['back'],
      looked: { queued: 4, refused: 2 },
    }),
  );
  expect(second).toEqual({
    dropped: 9,
    restored: 2,
    restoredExamples: ['back'],
    rules: [ruleOf('a', 6, ['1', '2', '3', '4', '5']), ruleOf('b', 3, ['1', '2', '3'])],
    otherRules: 0,
    looked: { queued: 13, refused: 2 },
    isWhole: true,
  });
});

it('counts rules beyond those that are listed, so that the sum is that of all', () => {
  const many = Array.from({ length: 40 }, (_, n) => ruleOf(`first ${n}`, 2));
  const more = Array.from({ length: 40 }, (_, n) => ruleOf(`second ${n}`, 1));
  const first = addStep(emptySum, step({ dropped: 83, rules: many, otherRules: 3, next: 'q1' }));
  const sum = addStep(first, step({ dropped: 40, rules: more }));
  expect(sum.rules).toHaveLength(60);
  expect(sum.otherRules).toBe(3 + 20);
  expect(sum.rules.reduce((all, { urls }) => all + urls, 0) + sum.otherRules).toBe(sum.dropped);
});
