import { describe, expect, it } from 'vitest';
import { createRenderChoice, type PageGain, type PageKind, type RenderChoice } from './render-choice.ts';

const page = (template = 'a', folder = '/', hasScripts = true): PageKind => ({
  template,
  folder,
  hasScripts,
});
const automatic: RenderChoice['wish'] = () => ({ render: 'auto', rule: undefined });
const nothing: PageGain = { moved: false, links: [], lines: [], ownText: 1_000 };
const gain = (changes: Partial<PageGain>): PageGain => ({ ...nothing, ...changes });
const long = (text: string): string => `${text} ${'and more of it '.repeat(8)}`;

/** Shows what the choice wants shown, and answers why for each page. */
function meet(choice: RenderChoice, pages: readonly PageKind[], gains: (n: number) => PageGain): string[] {
  return pages.map((kind, n) => {
    const { show, why } = choice.decide(kind);
    if (show) choice.learn(kind, gains(n));
    return why;
  });
}
const many = (count: number, kind = page()): PageKind[] => Array.from({ length: count }, () => kind);
const count = (whys: readonly string[], why: string): number => whys.filter((one) => one === why).length;

it('a page without scripts is read as it comes', () => {
  const choice = createRenderChoice(automatic);
  expect(choice.decide(page('a', '/', false))).toEqual({ show: false, why: 'no-scripts' });
});

it('two pages of a kind are tried, and if they gain nothing one after 50 others, then one after 100', () => {
  const whys = meet(createRenderChoice(automatic), many(220), () => nothing);
  expect(whys.slice(0, 3)).toEqual(['sample', 'sample', 'gains-nothing']);
  expect(whys.flatMap((why, n) => (why === 'sample' ? [n + 1] : []))).toEqual([1, 2, 50, 100, 200]);
});

it('what pages of a kind gain, all of them are shown for', () => {
  const choice = createRenderChoice(automatic);
  const whys = meet(choice, many(100), (n) => gain({ links: [`/p/${n}`] }));
  expect(whys).toEqual(['sample', ...Array.from({ length: 99 }, () => 'gains')]);
  expect(choice.decide(page('b')).why).toBe('sample');
});

it('sees text that comes to a page which had much of its own', () => {
  const whys = meet(createRenderChoice(automatic), many(10), (n) =>
    gain({ lines: [long(`text ${n}`)], ownText: 9_000 }),
  );
  expect(count(whys, 'gains')).toBe(9);
});

it('a greeting is no gain, but it is where the page says little else', () => {
  const hello = (n: number, ownText: number) =>
    gain({ lines: [`Good evening, reader ${'x'.repeat(n + 10)}`], ownText });
  expect(
    count(
      meet(createRenderChoice(automatic), many(10), (n) => hello(n, 5_000)),
      'gains',
    ),
  ).toBe(0);
  expect(
    count(
      meet(createRenderChoice(automatic), many(10), (n) => hello(n, 100)),
      'gains',
    ),
  ).toBe(9);
});

it('a name is a gain where the page says nothing without it', () => {
  const names = ['Sextant', 'Chart', 'Anchor', 'Figurehead'];
  const met = (ownText: number) =>
    meet(createRenderChoice(automatic), many(4), (n) => gain({ lines: [names[n] as string], ownText }));
  expect(count(met(0), 'gains')).toBe(3);
  expect(count(met(200), 'gains')).toBe(0);
});

describe('what all pages of a kind gain', () => {
  const banner = { links: ['/privacy'], lines: [long('We and our partners keep cookies')] };

  it('belongs to none of them', () => {
    const whys = meet(createRenderChoice(automatic), many(40), () => gain(banner));
    expect(whys.slice(0, 3)).toEqual(['sample', 'gains', 'gains-nothing']);
    expect(count(whys, 'gains-nothing')).toBe(38);
  });

  it('hides nothing that is their own', () => {
    const both = (n: number) => gain({ links: [...banner.links, `/p/${n}`], lines: banner.lines });
    expect(count(meet(createRenderChoice(automatic), many(40), both), 'gains')).toBe(39);
  });

  it('is theirs where they have nothing without a browser', () => {
    expect(
      count(
        meet(createRenderChoice(automatic), many(40), () => gain({ ...banner, ownText: 4 })),
        'gains',
      ),
    ).toBe(39);
  });
});

describe('pages of one template in many folders', () => {
  const scattered = Array.from({ length: 40 }, (_, n) => page('a', `/${n}/`));

  it('are known by the first few', () => {
    const whys = meet(createRenderChoice(automatic), scattered, () => nothing);
    expect(whys.slice(0, 3)).toEqual(['sample', 'sample', 'gains-nothing']);
    expect(count(whys, 'sample')).toBe(2);
  });

  it('are tried in each folder where they differ', () => {
    const choice = createRenderChoice(automatic);
    meet(choice, many(4, page('a', '/app/')), (n) => gain({ links: [`/${n}`] }));
    meet(choice, scattered.slice(0, 10), () => nothing);
    const last = page('a', '/last/');
    expect(meet(choice, [last, last, last], () => nothing)).toEqual(['sample', 'sample', 'gains-nothing']);
  });
});

it('kinds whose pages gain nothing any more are no longer shown, and those that gain again are', () => {
  const choice = createRenderChoice(automatic);
  meet(choice, many(3), (n) => gain({ links: [`/${n}`] }));
  const whys = meet(choice, many(10), () => nothing);
  expect(count(whys, 'gains')).toBe(4);
  expect(whys.at(-1)).toBe('gains-nothing');
  meet(choice, many(60), () => gain({ moved: true }));
  expect(choice.decide(page()).why).toBe('gains');
});

it('remembers a bounded number of kinds', () => {
  const choice = createRenderChoice(automatic);
  meet(choice, many(3), (n) => gain({ links: [`/${n}`] }));
  for (let i = 0; i < 10_000; i++) choice.decide(page(`kind ${i}`));
  expect(choice.decide(page()).why).toBe('sample');
});
