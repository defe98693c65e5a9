import { describe, expect, test } from 'vitest';
import { factsOf } from './facts.fixture.ts';

const itemsOf = (html: string) => factsOf(html).microdata;
const propertiesOf = (html: string) =>
  itemsOf(`<div itemscope>${html}</div>`).map(({ properties }) => ({ ...properties }))[0];

describe('microdata', () => {
  test('an item has types, an id and properties in document order', () => {
    const html = `<div itemscope itemtype="https://schema.org/Book  https://a.example/T" itemid="../isbn/1">
      <span itemprop="name">Moby <b>Dick</b></span><i itemprop="name alias">Whale</i></div>`;
    expect(itemsOf(html)).toEqual([
      {
        type: ['https://schema.org/Book', 'https://a.example/T'],
        id: 'https://site.example/isbn/1',
        properties: { name: ['Moby Dick', 'Whale'], alias: ['Whale'] },
      },
    ]);
  });

  test.each([
    ['<meta itemprop="p" content=" x ">', ' x '],
    ['<a itemprop="p" href="b?q=1">text</a>', 'https://site.example/docs/b?q=1'],
    ['<link itemprop="p" href="/s">', 'https://site.example/s'],
    ['<area itemprop="p" href="/s">', 'https://site.example/s'],
    ['<img itemprop="p" src="//cdn.example/i.png">', 'https://cdn.example/i.png'],
    ['<iframe itemprop="p" src="/s"></iframe>', 'https://site.example/s'],
    ['<object itemprop="p" data="/s"></object>', 'https://site.example/s'],
    ['<a itemprop="p">no href</a>', ''],
    ['<a itemprop="p" href="http://[">bad</a>', ''],
    ['<data itemprop="p" value="7">seven</data>', '7'],
    ['<meter itemprop="p" value="0.5">half</meter>', '0.5'],
    ['<time itemprop="p" datetime="2026-03-01">today</time>', '2026-03-01'],
    ['<time itemprop="p"> 2026-03-01 </time>', '2026-03-01'],
    ['<span itemprop="p" content="9.50">9,50 €</span>', '9.50'],
    ['<div itemprop="p"><p>a</p><p>b</p><script>x()</script></div>', 'a b'],
  ])('%s', (html, value) => {
    expect(propertiesOf(html)).toEqual({ p: [value] });
  });

  test('URLs are relative to the base of the page', () => {
    const html = '<base href="https://other.example/x/"><div itemscope><a itemprop="u" href="y">l</a></div>';
    expect(itemsOf(html)[0]?.properties['u']).toEqual(['https://other.example/x/y']);
  });

  test('an item may be the value of a property, and its properties are its own', () => {
    expect(
      propertiesOf('<p itemprop="offer" itemscope><i itemprop="price">1</i></p><i itemprop="name">n</i>'),
    ).toEqual({ offer: [{ type: [], properties: { price: ['1'] } }], name: ['n'] });
  });

  test('an item within an item that is no property of it stands for itself', () => {
    const html = '<div itemscope><p itemscope><i itemprop="a">1</i></p></div>';
    expect(itemsOf(html).map(({ properties }) => ({ ...properties }))).toEqual([{}, { a: ['1'] }]);
  });

  test('itemref adds what stands elsewhere, once and in document order', () => {
    const html = `<p id="x"><i itemprop="a">1</i><b itemprop="b" itemscope><i itemprop="c">2</i></b></p>
      <div itemscope itemref="y x x none"><i itemprop="a">3</i></div><i id="y" itemprop="a">4</i>`;
    const [item] = itemsOf(html);
    expect(item?.properties).toEqual({
      a: ['1', '3', '4'],
      b: [{ type: [], properties: { c: ['2'] } }],
    });
  });

  test('an item that refers to itself is not its own value', () => {
    const html = `<div itemscope itemref="x"></div>
      <div id="x" itemprop="p" itemscope itemref="y"><i itemprop="n">1</i></div><p id="y"><b itemprop="q" itemscope itemref="x"></b></p>`;
    expect(JSON.parse(JSON.stringify(itemsOf(html)))).toEqual([
      {
        type: [],
        properties: { p: [{ type: [], properties: { n: ['1'], q: [{ type: [], properties: {} }] } }] },
      },
    ]);
  });

  test('a property __proto__ or constructor is harmless', () => {
    const [item] = itemsOf(
      '<div itemscope><i itemprop="__proto__">x</i><constructor itemprop="constructor">y</constructor></div>',
    );
    expect(Object.keys(item?.properties ?? {})).toEqual(['constructor']);
    expect(item?.properties['constructor']).toEqual(['y']);
  });

  test('references that double at each step end', () => {
    const steps = Array.from(
      { length: 60 },
      (_, i) =>
        `<p id="a${i}" itemprop="p" itemscope itemref="a${i + 1} b${i + 1}"></p><p id="b${i}" itemprop="p" itemscope itemref="a${i + 1} b${i + 1}"></p>`,
    ).join('');
    const items = itemsOf(`<div itemscope itemref="a0"></div>${steps}`);
    expect(JSON.stringify(items).length).toBeLessThan(100_000_000);
  });

  test('nesting without end, and texts within texts, end', () => {
    const depth = 10_000;
    const items = itemsOf(`${'<div itemprop="p" itemscope>'.repeat(depth)}`);
    expect(items).toEqual([]);
    const nested = itemsOf(`<div itemscope>${'<div itemprop="p" itemscope>'.repeat(depth)}`);
    expect(JSON.stringify(nested).length).toBeLessThan(10_000);
    const texts = itemsOf(`<div itemscope>${'<i itemprop="p">word '.repeat(depth)}`);
    expect(JSON.stringify(texts).length).toBeLessThan(20_000_000);
  });
});
