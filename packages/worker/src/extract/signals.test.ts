import { describe, expect, it } from 'vitest';
import { extractLinks } from './links.ts';
import { notedSignals, readSignals } from './signals.ts';

type Header = [string, string];
const none = { noindex: false, nofollow: false, noarchive: false };
const all = { noindex: true, nofollow: true };
const of = (headers: Header[], html = ''): ReturnType<typeof readSignals> => {
  const { metaRobots } = extractLinks(html, { url: 'https://a.example/' });
  return readSignals({ headers, metaRobots, agentToken: 'Webfarer' });
};

describe('X-Robots-Tag', () => {
  it.each<[string, object]>([
    ['noindex', { ...none, noindex: true }],
    ['NoIndex , NOFOLLOW', { ...none, ...all }],
    ['none', { ...none, ...all }],
    ['noarchive', { ...none, noarchive: true }],
    ['nocache', { ...none, noarchive: true }],
    ['all', none],
    ['index, follow', none],
    ['otherbot: none', none],
    ['webfarer: nofollow', { ...none, nofollow: true }],
    ['otherbot: noindex, nofollow', none],
    ['noarchive, otherbot: noindex, nofollow', { ...none, noarchive: true }],
    ['otherbot: noindex, Webfarer: nofollow', { ...none, nofollow: true }],
    ['unavailable_after: 25 Jun 2010 15:00:00 PST', none],
    ['unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, noindex', { ...none, noindex: true }],
    ['max-snippet: 20, nofollow', { ...none, nofollow: true }],
    ['*: nofollow', { ...none, nofollow: true }],
    ['', none],
  ])('%s', (value, expected) => {
    expect(of([['x-robots-tag', value]])).toMatchObject(expected);
  });

  it('is obeyed from each of several headers', () => {
    const headers: Header[] = [
      ['X-Robots-Tag', 'otherbot: noarchive'],
      ['X-Robots-Tag', 'nofollow'],
      ['X-Robots-Tag', 'noindex'],
    ];
    expect(of(headers)).toMatchObject({ noindex: true, nofollow: true, noarchive: false });
  });
});

describe('meta elements', () => {
  it.each<[string, object]>([
    ['<meta name=robots content=noindex>', { ...none, noindex: true }],
    ['<META NAME="Robots" CONTENT="NOFOLLOW,noarchive">', { ...none, nofollow: true, noarchive: true }],
    ['<meta name=robots content="none">', { ...none, ...all }],
    ['<meta name=webfarer content="nofollow">', { ...none, nofollow: true }],
    ['<meta name=googlebot content="nofollow">', none],
    ['<meta name=description content="noindex">', none],
    ['<meta name=robots content="noindex"><meta name=robots content="nofollow">', { ...none, ...all }],
    ['<template><meta name=robots content=none></template>', none],
    ['<!-- <meta name=robots content=none> -->', none],
  ])('%s', (html, expected) => {
    expect(of([], html)).toMatchObject(expected);
  });
});

it('usage signals are recorded and change nothing', () => {
  const headers: Header[] = [
    ['Content-Usage', 'train-ai=n'],
    ['Content-Signal', 'search=yes,  ai-train=no'],
    ['TDM-Reservation', '1'],
    ['Server', 'x'],
  ];
  const signals = of(
    headers,
    '<meta name="tdm-policy" content="https://a.example/p"><meta name=robots content=all>',
  );
  expect(signals).toMatchObject(none);
  expect(signals.seen).toEqual([
    'tdm-policy: https://a.example/p',
    'meta robots: all',
    'Content-Usage: train-ai=n',
    'Content-Signal: search=yes, ai-train=no',
    'TDM-Reservation: 1',
  ]);
});

it('a flood of signals is cut', () => {
  const { seen } = of(
    Array.from({ length: 1_000 }, (_, i) => ['X-Robots-Tag', `${i} ${'x'.repeat(5_000)}`] as Header),
  );
  expect(seen.length).toBeLessThanOrEqual(20);
  expect(Math.max(...seen.map((line) => line.length))).toBeLessThanOrEqual(200);
});

it('signals that were noted ask for the same again', () => {
  const headers: [string, string][] = [['X-Robots-Tag', 'otherbot: noarchive, webfarer: nofollow']];
  const metaRobots = [{ agent: 'webfarer', content: 'noindex' }];
  const read = readSignals({ headers, metaRobots, agentToken: 'webfarer' });
  expect(notedSignals(read.seen, 'webfarer')).toEqual(read);
  expect(notedSignals(['X-Robots-Tag: noarchive'], 'webfarer').noarchive).toBe(true);
  expect(notedSignals(['meta robots: nocache'], 'webfarer').noarchive).toBe(true);
});
