import { describe, expect, it } from 'vitest';
import { parseJobFile } from './file.ts';
import { resolveJob } from './resolve.ts';

const job = (extract: unknown) => resolveJob({ seeds: ['https://a.example/'], extract });
const field = (written: unknown) => job([{ fields: { f: written } }]).extract[0]?.fields[0];

describe('extract', () => {
  it('resolves short and long forms', () => {
    const usual = { type: 'text', list: false, required: false };
    expect(field('h1 > a@href')).toEqual({ name: 'f', from: { css: 'h1 > a@href' }, ...usual });
    expect(field({ jsonLd: 'Product.name', list: true, default: 'x' })).toEqual({
      name: 'f',
      from: { jsonLd: 'Product.name' },
      ...usual,
      list: true,
      default: 'x',
    });
    expect(job([{ pages: '/p/*', fields: { f: 'h1' } }]).extract[0]?.pages).toEqual(['/p/*']);
    expect(job([{ fields: { f: 'h1' } }]).extract[0]).not.toHaveProperty('pages');
  });

  it.each([
    ['a selector that is none', 'h1 >>> [', /not a valid CSS selector/],
    ['a pseudo-class that is not supported', 'a:hover', /not a supported CSS selector \(:hover\)/],
    ['one inside another', 'a:not(:hover)', /:hover/],
    ['a pseudo-element', 'a::before', /::before/],
    ['an empty selector', '', /must not be empty/],
    ['two sources', { css: 'a', regex: 'b' }, /exactly one of css, jsonLd/],
    ['no source', { type: 'number' }, /exactly one of css, jsonLd/],
    ['an unknown type', { css: 'a', type: 'int' }, /integer/],
    ['an expression that is none', { regex: '(' }, /not a valid regular expression/],
    ['HTML of an attribute', { css: 'a@href', type: 'html' }, /type html needs css/],
    ['a default of a required field', { css: 'a', required: true, default: 'x' }, /has no default/],
    ['a default of another type', { css: 'a', type: 'number', default: 'x' }, /of the type of the field/],
    ['an unknown fact', { page: 'titel' }, /did you mean "title"/],
    ['a misspelt option', { css: 'a', requird: true }, /did you mean "required"/],
  ])('refuses %s', (_, written, message) => {
    expect(() => field(written)).toThrow(message);
  });

  it('refuses rules without fields, names that are none, and each with an attribute', () => {
    expect(() => job([{ fields: {} }])).toThrow('at least one field');
    expect(() => job([{ fields: { 'a b': 'h1' } }])).toThrow('a field has a name');
    const hostile = JSON.parse('{"__proto__":"h1","a":"h1"}') as unknown;
    expect(job([{ fields: hostile }]).extract[0]?.fields.map(({ name }) => name)).toEqual(['a']);
    expect(() => job([{ each: 'li@id', fields: { a: 'h1' } }])).toThrow('each is a selector');
  });

  it('shows the line and a caret', () => {
    const text = `seeds: [https://a.example/]
extract:
  - pages: /p/*
    fields:
      name: h1
      price: { css: '.price[', type: number }
`;
    expect(() => parseJobFile(text, 'job.yml')).toThrow(
      /job\.yml:6:[\s\S]*price: \{ css: '\.price\[', type: number \}\n[^\n]*\^/,
    );
  });
});
