import type { Url } from '@webfarer/protocol';
import { normaliser } from '@webfarer/protocol/url';
import { describe, expect, it } from 'vitest';
import { challenges, type MadeAnswer, ordinary } from '../../../../test/challenges/made-pages.ts';
import { challengeOf, isChallenge } from './challenge.ts';
import { readDocument } from './document.ts';

const documentOf = ({ headers, body }: MadeAnswer) =>
  readDocument({
    url: 'https://shop.example/' as Url,
    headers,
    body: Buffer.from(body),
    normalise: normaliser({ enabled: false, sort: false, strip: [] }),
    agentToken: 'webfarer',
  });
const headOf = ({ status, headers }: MadeAnswer) => ({ status, statusText: '', headers });

describe('challengeOf', () => {
  it.each(challenges.map((answer) => [answer.name, answer.status, answer] as const))(
    'knows a challenge of %s with status %i',
    (name, _, answer) => {
      const found = challengeOf(headOf(answer), () => answer.body);
      expect(found?.by).toBe(name);
      expect(challengeOf(headOf(answer), () => answer.body, documentOf(answer))).toEqual(found);
      expect(isChallenge(headOf(answer), documentOf(answer))).toBe(true);
    },
  );

  it.each(ordinary.map((answer) => [answer.name, answer] as const))(
    'takes ordinary pages for content: %s',
    (_, answer) => {
      expect(challengeOf(headOf(answer), () => answer.body)).toBeUndefined();
      expect(isChallenge(headOf(answer), documentOf(answer))).toBe(false);
    },
  );

  it('does not look at the body of a page with content, nor at that of a missing one', () => {
    const source = (): string => {
      throw new Error('looked at');
    };
    const head = (status: number) => ({ status, statusText: '', headers: [] });
    expect(challengeOf(head(200), source, { visible: 5_000, links: [] })).toBeUndefined();
    expect(challengeOf(head(404), source)).toBeUndefined();
    expect(challengeOf(head(301), source)).toBeUndefined();
    expect(() => challengeOf(head(403), source)).toThrow('looked at');
  });

  it('takes no header for a sign that is only named like a part of an object', () => {
    const headers: [string, string][] = ['constructor', '__proto__'].map((name) => [name, 'challenge']);
    expect(challengeOf({ status: 404, statusText: '', headers }, () => '')).toBeUndefined();
  });

  it('says what gave a challenge away', () => {
    const [first] = challenges;
    expect(first && challengeOf(headOf(first), () => '')).toEqual({
      by: 'Cloudflare',
      sign: 'cf-mitigated: challenge',
    });
  });
});
