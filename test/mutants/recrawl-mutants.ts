import type { Mutant } from './mutant.ts';

const reading = 'packages/coordinator/src/crawl/reading';
const recrawl = (name: string) => ({ test: 'packages/cli/src/recrawl.test.ts', case: name });
const matcher = (name: string) => ({ test: `${reading}/item-matcher.test.ts`, case: name });

/** Items of a recrawl: all of them, each with the right mark. */
export const recrawlMutants: readonly Mutant[] = [
  {
    name: 'items-not-carried-over',
    why: 'A daily recrawl of a shop would lose every product that did not change.',
    file: 'packages/worker/src/page/pipeline.ts',
    from: 'work.gather.items.push(...previous.items);',
    to: 'work.gather.items.push(...previous.items.slice(0, 0));',
    killer: recrawl('every item of a recrawl is marked, whatever its page answered'),
  },
  {
    name: 'items-of-other-rules',
    why: 'After a change of `extract` unchanged pages would keep items made by the old fields.',
    file: 'packages/coordinator/src/folder/previous-crawl.ts',
    from: 'const isSame = hasSameItems &&',
    to: 'const isSame = isWhole &&',
    killer: recrawl(
      'a recrawl with other fields fetches every page, because the items of before are not those',
    ),
  },
  {
    name: 'items-gone-in-trouble',
    why: 'A shop that answers 500 for an hour would look as if it had sold everything.',
    file: `${reading}/item-changes.ts`,
    from: "const { change, why } = missing ?? { change: 'gone', why: 'its page no longer has it' };",
    to: "const { change, why } = { ...missing, change: 'gone' as const, why: missing?.why };",
    killer: recrawl('with a key an item may move to another page, and trouble makes nothing gone'),
  },
  {
    name: 'item-key-ignored',
    why: 'A product with a new price would be reported as sold out and as new.',
    file: `${reading}/item-matcher.ts`,
    from: "pair('changed', 'name', \" AND name LIKE 'key %'\");",
    to: "pair('changed', 'name', \" AND name LIKE 'no key %'\");",
    killer: matcher('a key that is on several pages pairs what is left of it'),
  },
  {
    name: 'items-paired-by-guess',
    why: 'Where one product of a list goes and another comes, the report would say that one became the other.',
    file: `${reading}/item-matcher.ts`,
    from: 'GROUP BY name HAVING count(*) = 1`;',
    to: 'GROUP BY name HAVING count(*) >= 1`;',
    killer: matcher('of several items on a page without a key, what differs is another item'),
  },
];
