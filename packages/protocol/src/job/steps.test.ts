import { describe, expect, it } from 'vitest';
import { parseJobFile } from './file.ts';
import { resolveJob } from './resolve.ts';

const job = (steps: unknown, render = 'auto') => resolveJob({ seeds: ['https://a.example/'], render, steps });
const step = (written: unknown) => job([{ do: [written] }]).steps[0]?.steps[0];
const action = (written: unknown) => step(written)?.action;

describe('steps', () => {
  it('resolves short and long forms', () => {
    expect(action({ waitFor: '.item' })).toEqual({ kind: 'wait', for: { element: ['.item'] } });
    expect(action({ waitFor: 'quiet' })).toEqual({ kind: 'wait', for: { quiet: true } });
    expect(action({ waitFor: { text: 'quiet' } })).toEqual({ kind: 'wait', for: { text: 'quiet' } });
    expect(action({ waitFor: { expression: 'x > 1' } })).toEqual({
      kind: 'wait',
      for: { expression: 'x > 1' },
    });
    expect(action({ click: ['#a', 'text/More'] })).toEqual({
      kind: 'click',
      on: ['#a', 'text/More'],
      times: 1,
    });
    expect(action({ click: { on: '#a', times: 20 } })).toEqual({ kind: 'click', on: ['#a'], times: 20 });
    expect(action({ type: { into: '#q', text: 'saw' } })).toEqual({
      kind: 'type',
      into: ['#q'],
      from: { text: 'saw' },
    });
    expect(action({ press: 'Enter' })).toEqual({ kind: 'press', key: 'Enter' });
    expect(action({ select: { in: 'select', value: 'de' } })).toEqual({
      kind: 'select',
      in: ['select'],
      value: 'de',
    });
    expect(action({ scroll: 'end' })).toEqual({ kind: 'scroll', most: 50 });
    expect(action({ scroll: { in: '.list', most: 3 } })).toEqual({ kind: 'scroll', most: 3, in: ['.list'] });
    expect(action({ scroll: { top: 900 } })).toEqual({ kind: 'scrollTo', top: 900, left: 0 });
    expect(action({ scroll: { in: '.list', left: 40 } })).toEqual({
      kind: 'scrollTo',
      top: 0,
      left: 40,
      in: ['.list'],
    });
    expect(action({ expand: '.more' })).toEqual({ kind: 'expand', all: ['.more'], most: 50 });
    expect(action({ dismiss: ['#yes', 'aria/Accept'] })).toEqual({
      kind: 'dismiss',
      any: ['#yes', 'aria/Accept'],
    });
  });

  it('names each step by its place, and bounds those that wait for one thing', () => {
    const [first, second] = job([
      { do: [{ click: 'a' }, { scroll: 'end' }] },
      { pages: '/p/*', do: [{ click: 'a:hover', timeout: '2s', optional: true }] },
    ]).steps;
    expect(first).not.toHaveProperty('pages');
    expect(first?.steps).toMatchObject([
      { at: 'steps[0].do[0]', timeoutMs: 10_000, optional: false },
      { at: 'steps[0].do[1]' },
    ]);
    expect(first?.steps[1]).not.toHaveProperty('timeoutMs');
    expect(second).toMatchObject({ pages: ['/p/*'], steps: [{ timeoutMs: 2_000, optional: true }] });
  });

  it.each([
    ['two actions', { click: 'a', press: 'Enter' }, /exactly one of waitFor, click, type/],
    ['no action', { optional: true }, /exactly one of waitFor/],
    ['a misspelt action', { clik: 'a' }, /did you mean "click"/],
    ['a selector that is none', { click: 'a[' }, /not a valid CSS selector/],
    ['the same in a list', { click: ['a', 'b['] }, /not a valid CSS selector/],
    ['a pseudo-element', { click: 'a::before' }, /pseudo-element/],
    ['nothing behind a prefix', { click: 'text/' }, /must not be empty/],
    ['an unquoted # of YAML', { click: null }, /quote '#id'/],
    ['text from nowhere', { type: { into: 'a' } }, /exactly one of text, fromEnv/],
    [
      'text from two places',
      { type: { into: 'a', text: 'x', fromEnv: 'WEBFARER_TYPE_A' } },
      /exactly one of/,
    ],
    ['any variable of the machine', { type: { into: 'a', fromEnv: 'PATH' } }, /begins with WEBFARER_TYPE_/],
    ['scrolling without end', { scroll: { most: 100_000 } }, /at most 1000/],
    ['scrolling to the end and to a place', { scroll: { most: 2, top: 9 } }, /either most/],
    ['a scroll to somewhere', { scroll: 'down' }, /scroll is end/],
  ])('refuses %s', (_, written, message) => {
    expect(() => step(written)).toThrow(message);
  });

  it('needs a browser', () => {
    expect(() => job([{ do: [{ click: 'a' }] }], 'never')).toThrow('add render: auto');
    expect(job([], 'never').steps).toEqual([]);
  });

  it('shows the line and a caret', () => {
    const text = `seeds: [https://a.example/]
render: auto
steps:
  - pages: /list/**
    do:
      - scroll: end
      - clik: .more
`;
    expect(() => parseJobFile(text, 'job.yml')).toThrow(
      /job\.yml:7:9: [\s\S]*- clik: \.more\n[^\n]*\| {9}\^{4}/,
    );
  });
});
