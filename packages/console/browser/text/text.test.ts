import {
  doneReasons,
  droppedReasons,
  failedReasons,
  refusedReasons,
  stallCauses,
} from '@webfarer/protocol/crawl';
import { expect, it } from 'vitest';
import { formatsFor } from '../format/formats.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { stopAllText } from './stop-all-text.ts';

/** The paths of all texts. */
function keysOf(texts: object, above = ''): string[] {
  return Object.entries(texts).flatMap(([key, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null ? keysOf(value, `${above}${key}.`) : [`${above}${key}`],
  );
}

it('has every text in both languages', () => {
  // English causes and reasons come from the protocol.
  const own = (key: string) => !/^(causes|urls\.because|urls\.leftOut)\./.test(key);
  expect(keysOf(de).filter(own).toSorted()).toEqual(keysOf(en).filter(own).toSorted());
});

interface ScreenText {
  en: object;
  de: object;
}

it('has every text of a screen in both languages', () => {
  const files = import.meta.glob<Record<string, ScreenText>>('./*-text.ts', { eager: true });
  for (const [file, texts] of Object.entries(files)) {
    expect(Object.keys(texts), file).toHaveLength(1);
    for (const { en: english, de: german } of Object.values(texts))
      expect(keysOf(german).toSorted(), file).toEqual(keysOf(english).toSorted());
  }
});

it('has every reason in German', () => {
  const reasons = Object.keys({ ...doneReasons, ...failedReasons, ...refusedReasons });
  expect(Object.keys(de.urls.because).toSorted()).toEqual(reasons.toSorted());
});

it('has every reason for which links are left out in German', () => {
  expect(Object.keys(de.urls.leftOut).toSorted()).toEqual(Object.keys(droppedReasons).toSorted());
});

it('calls what the rules forbid refused, as its state is called', () => {
  const files = import.meta.glob<string>('./*.ts', { eager: true, query: '?raw', import: 'default' });
  // A schedule does skip runs.
  for (const [file, source] of Object.entries(files))
    if (!/test|schedule/.test(file)) expect(source, file).not.toMatch(/skipped|übersprungen/i);
});

it('counts one crawl as one', () => {
  expect([stopAllText.de.which('1', '1'), stopAllText.de.which('2', '0')]).toEqual([
    '1 läuft, 1 pausiert:',
    '2 laufen, 0 pausieren:',
  ]);
});

it('has every cause of waiting in German', () => {
  expect(Object.keys(de.causes).toSorted()).toEqual(Object.keys(stallCauses).toSorted());
});

it('writes figures as readers of a language expect', () => {
  const [english, german] = [formatsFor('en'), formatsFor('de')];
  expect([english.count(1_234_567), german.count(1_234_567)]).toEqual(['1,234,567', '1.234.567']);
  expect([english.bytes(999), english.bytes(1_500), german.bytes(2_340_000)]).toEqual([
    '999 B',
    '1.5 kB',
    '2,3 MB',
  ]);
  expect([
    english.span(400),
    english.span(45_000),
    english.span(3_725_000),
    english.span(90_000_000),
  ]).toEqual(['400 ms', '45 s', '1 h 2 min', '1 d 1 h']);
  expect([english.roughSpan(61_000), english.roughSpan(720_000), english.roughSpan(0)]).toEqual([
    '61 s',
    '12 min',
    '1 s',
  ]);
  expect([english.separators, german.separators]).toEqual([
    { thousands: ',', decimal: '.' },
    { thousands: '.', decimal: ',' },
  ]);
  expect([english.rate(0), english.rate(14.23), english.rate(1_402)]).toEqual(['0.0', '14.2', '1,402']);
});
