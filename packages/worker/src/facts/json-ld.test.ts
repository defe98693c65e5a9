import { describe, expect, test } from 'vitest';
import { factsOf, jsonLdScript } from './facts.fixture.ts';
import { maxJsonChars } from './json-ld.ts';
import { readTree } from '../tree/tree.ts';

const nodesOf = (...scripts: string[]) => factsOf(scripts.map(jsonLdScript).join('')).jsonLd;

describe('JSON-LD', () => {
  test('several scripts, lists and graphs are one list of nodes in document order', () => {
    const graph = '{"@context":"https://schema.org","@graph":[{"@id":"b"},{"@id":"c"}]}';
    expect(nodesOf('{"@id":"a"}', graph, '[{"@id":"d"},[{"@id":"e"}],5,null]')).toEqual(
      ['a', 'b', 'c', 'd', 'e'].map((id) => ({ '@id': id })),
    );
  });

  test('a graph with properties of its own is a node too', () => {
    expect(nodesOf('{"@id":"g","name":"n","@graph":[{"@id":"a"}]}')).toEqual([
      { '@id': 'g', name: 'n' },
      { '@id': 'a' },
    ]);
  });

  test.each([
    ['a comma behind the last entry', '{"a":[1,2,],}', { a: [1, 2] }],
    ['JavaScript comments', '{"a":1, // one\n/* two */"b":"http://x//y"}', { a: 1, b: 'http://x//y' }],
    ['an HTML comment before the value', '<!-- made by hand -->{"a":1}', { a: 1 }],
    ['an HTML comment around the value', '<!--\n{"a":1}\n-->', { a: 1 }],
    ['a CDATA section', '//<![CDATA[\n{"a":1}\n//]]>', { a: 1 }],
    ['a CDATA section in comments', '/* <![CDATA[ */{"a":1}/* ]]> */', { a: 1 }],
    ['quotes as character references', '{&quot;a&quot;:&quot;b&quot;}', { a: 'b' }],
    ['line breaks in a string', '{"a":"x\n\ty"}', { a: 'x\n\ty' }],
    ['escapes that JSON does not have', String.raw`{"a":"it\'s \u00e9 \n"}`, { a: "it's é \n" }],
    ['a semicolon at the end', '{"a":1};', { a: 1 }],
  ])('%s is repaired', (_, text, value) => {
    expect(nodesOf(text)).toEqual([value]);
  });

  test('values one after the other are a list', () => {
    expect(nodesOf('{"a":1}{"b":2},{"c":3}')).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }]);
  });

  test('what cannot be repaired is left out, and the other scripts are read', () => {
    expect(nodesOf('{"a":', 'var x = 1;', '', '"text"', '{"b":2}')).toEqual([{ b: 2 }]);
  });

  test('the type may have parameters and capitals', () => {
    const html = '<script type="Application/LD+JSON; charset=utf-8">{"a":1}</script>';
    expect(factsOf(html).jsonLd).toEqual([{ a: 1 }]);
  });

  test('XHTML may hold the script in a CDATA section', () => {
    const html = '<html><script type="application/ld+json"><![CDATA[{"a":"x & y"}]]></script></html>';
    expect(factsOf(html, { tree: () => readTree(html, { xml: true }) }).jsonLd).toEqual([{ a: 'x & y' }]);
  });

  test('a body that is JSON-LD has no script', () => {
    expect(factsOf('', { tree: undefined, jsonLd: '[{"a":1}]' }).jsonLd).toEqual([{ a: 1 }]);
  });

  test('a key __proto__ is left out at every depth', () => {
    const [node] = nodesOf('{"a":{"__proto__":{"admin":true}},"__proto__":{"admin":true}}');
    const copy = Object.assign({}, node, node?.['a']) as Record<string, unknown>;
    expect(copy['admin']).toBeUndefined();
    expect(JSON.stringify(node)).toBe('{"a":{}}');
  });

  test('nesting without end is cut, so that the result can be written down', () => {
    const depth = 50_000;
    const text = `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect(JSON.stringify(nodesOf(text)).length).toBeLessThan(1_000);
    const broken = `{"a":${'['.repeat(depth)}${']'.repeat(depth)},}`;
    expect(JSON.stringify(nodesOf(broken)).length).toBeLessThan(1_000);
  });

  test('what goes beyond the limit of characters is not read', () => {
    const long = `{"a":"${'x'.repeat(maxJsonChars - 100)}"}`;
    expect(nodesOf(long, `{"b":"${'x'.repeat(200)}"}`, '{"c":1}').map((node) => Object.keys(node))).toEqual([
      ['a'],
    ]);
  });

  test.each(['<!--', '//', '/*', '"', '\\', '{', ',', '&quot;', ']]>', '{"a":1}'])(
    'much of %s ends',
    (text) => {
      const read = nodesOf(text.repeat(20_000), '{"z":1}');
      expect(read.at(text === '{"a":1}' ? 0 : -1)).toEqual(text === '{"a":1}' ? { a: 1 } : { z: 1 });
    },
  );
});
