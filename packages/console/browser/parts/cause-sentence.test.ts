import { stallCauses } from '@webfarer/protocol/crawl';
import { expect, it } from 'vitest';
import { de } from '../text/de.ts';
import { causeSentence } from './cause-sentence.ts';

const english = (cause: keyof typeof stallCauses) => stallCauses[cause].meaning;

it('says what exactly is wrong on our own side, in both languages', () => {
  const text = 'there is no account alice of club.example on this machine';
  const unable = { cause: 'workers-unable', text, host: undefined, again: undefined } as const;
  expect(causeSentence({ ...unable, meaning: english('workers-unable') })).toBe(
    `No connected worker can work on the crawl, for reasons on their machines: ${text}`,
  );
  expect(causeSentence({ ...unable, meaning: de.causes['workers-unable'] ?? '' })).toBe(
    `Kein verbundener Worker kann an dem Crawl arbeiten, aus Gründen auf ihren Maschinen: ${text}`,
  );
});

it('says nothing twice', () => {
  const meaning = english('login');
  expect(causeSentence({ cause: 'login', text: meaning, meaning, host: 'a.test', again: undefined })).toBe(
    `a.test: ${meaning}`,
  );
  const german = de.causes.login ?? '';
  expect(
    causeSentence({ cause: 'login', text: meaning, meaning: german, host: 'a.test', again: undefined }),
  ).toBe(`a.test: ${german}`);
});

it('leaves the figures of a host that is waited for out of the sentence', () => {
  const meaning = english('server-errors');
  expect(
    causeSentence({ cause: 'server-errors', text: '503', meaning, host: 'a.test', again: 'again in 5 s' }),
  ).toBe(`a.test: ${meaning}; again in 5 s`);
});
