import type { Mutant } from './mutant.ts';

const expressions = 'packages/protocol/src/expression';
const asInJavaScript = {
  test: `${expressions}/expression.test.ts`,
  case: 'means what it means in JavaScript where RE2 runs all of them',
} as const;

/** What input of other people may cost: expressions, documents, pages. */
export const budgetMutants: readonly Mutant[] = [
  {
    name: 'budget-expression-without-flags',
    why: 'One scope rule with flags: i could stop a coordinator and all workers for every team.',
    file: `${expressions}/expression.ts`,
    from: 'native(source, `${plain}${linear}`)',
    to: 'native(source, linear)',
    killer: {
      test: `${expressions}/expression.test.ts`,
      case: 'is asked for with its flags: V8 alone would try 2^28 ways',
    },
  },
  {
    name: 'budget-expression-long-in-v8',
    why: 'A long expression could take a quarter of a second for each URL.',
    file: `${expressions}/expression.ts`,
    from: 'size <= mostNativeSteps[use] &&',
    to: 'size <= mostNativeSteps[use] * 1_000 &&',
    killer: {
      test: `${expressions}/expression.test.ts`,
      case: 'takes time that grows with the text alone',
    },
  },
  {
    name: 'budget-expression-counts-unbounded',
    why: 'A count of a count makes an expression of millions of steps.',
    file: `${expressions}/expression.ts`,
    from: 'if (size - hostCharacters > mostSteps)',
    to: 'if (size - hostCharacters > mostSteps * 10)',
    killer: {
      test: `${expressions}/expression.test.ts`,
      case: 'is refused where it cannot be run',
    },
  },
  {
    name: 'budget-expression-other-groups',
    why: 'A field would hold another part of the page than the expression says.',
    file: `${expressions}/translate.ts`,
    from: "if (atom.groups > Number(isGroup)) this.differsInGroups ??= 'a group within a repeated group';",
    to: '',
    killer: asInJavaScript,
  },
  {
    name: 'budget-expression-code-points',
    why: 'A pattern that matches one character would match halves of others.',
    file: `${expressions}/translate.ts`,
    from: 'return union(set, surrogates);',
    to: 'return union(set, surrogates.slice(1));',
    killer: asInJavaScript,
  },
  {
    name: 'budget-expression-unchecked-in-jobs',
    why: 'An expression that nothing can run would be refused by each worker, page by page, and not by the coordinator.',
    file: 'packages/protocol/src/job/values.ts',
    from: "if (message !== undefined) context.addIssue({ code: 'custom', message, path: ['regex'] });",
    to: '',
    killer: {
      test: 'packages/coordinator/src/admission/admit-job.test.ts',
      case: 'takes expressions that are run in linear time, with their flag, and no others from anyone',
      says: 'instead of rejecting',
    },
  },
];
