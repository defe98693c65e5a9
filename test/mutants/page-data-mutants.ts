import type { Mutant } from './mutant.ts';

const facts = 'packages/worker/src/facts';

/** What is read off pages: facts, structured data, items without code. */
export const pageDataMutants: readonly Mutant[] = [
  {
    name: 'page-data-searched-without-end',
    why: 'A regular expression of the job could stop a worker for good on one page.',
    file: 'packages/worker/src/scrape/time-limit.ts',
    from: '{ timeout: limitMs }',
    to: '{ timeout: limitMs * 500 }',
    killer: {
      test: 'packages/worker/src/scrape/time-limit.test.ts',
      case: 'ends a regular expression that backtracks without end, and nothing that comes after it',
      says: 'Test timed out',
    },
  },
  {
    name: 'page-data-keeps-proto-keys',
    why: 'A page could change the prototype of objects that user code copies its data to.',
    file: `${facts}/json-ld.ts`,
    from: "if (Object.hasOwn(container, '__proto__')) delete container['__proto__'];",
    to: '',
    killer: {
      test: `${facts}/json-ld.test.ts`,
      case: 'JSON-LD > a key __proto__ is left out at every depth',
    },
  },
  {
    name: 'page-data-with-trailing-commas-lost',
    why: 'JSON-LD with the most common mistake would be missing without a word.',
    file: `${facts}/lenient-json.ts`,
    from: "while (out.at(-1) === ',') out.pop();",
    to: '',
    killer: {
      test: `${facts}/json-ld.test.ts`,
      case: 'JSON-LD > a comma behind the last entry is repaired',
    },
  },
  {
    name: 'page-data-of-inner-items-mixed',
    why: 'The price of an offer would also be a price of the product around it.',
    file: `${facts}/microdata.ts`,
    from: 'return element.attribs.itemscope === undefined;',
    to: 'return true;',
    killer: {
      test: `${facts}/microdata.test.ts`,
      case: 'microdata > an item may be the value of a property, and its properties are its own',
    },
  },
  {
    name: 'page-data-with-relative-urls',
    why: 'URLs of items would be useless away from their page.',
    file: `${facts}/microdata.ts`,
    from: "return absolute(attribs[attribute] ?? '', reading.base);",
    to: "return attribs[attribute] ?? '';",
    killer: {
      proof: 'corpora',
      args: ['--only', 'structured', '--quick', '--seed', '1'],
      field: 'structured.mistakes',
    },
  },
  {
    name: 'page-data-nested-without-end',
    why: 'A page of a few kilobytes could occupy a worker for minutes.',
    file: 'packages/worker/src/tree/tree-builder.ts',
    from: 'if (this.#open.length >= maxDepth) this.pop();',
    to: '',
    killer: {
      test: 'packages/worker/src/tree/tree.test.ts',
      case: 'readTree > nesting without end becomes a long row, with the text where it was',
    },
  },
  {
    name: 'page-data-without-required-field',
    why: 'Items would lack what the job says they must have.',
    file: 'packages/worker/src/fields/items.ts',
    from: 'else if (required) problems.push(`${name}: ${read.problem}`);',
    to: '',
    killer: {
      test: 'packages/worker/src/fields/extracting-scraper.test.ts',
      case: 'extract > a required field that is missing or cannot be read says which and why',
      says: 'instead of rejecting',
    },
  },
];
