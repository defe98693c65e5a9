import { resolveJob } from '@webfarer/protocol/job';
import type { LinkCrawl } from '@webfarer/protocol/link';
import { expect, it } from 'vitest';
import { consentOf, requireConsent } from './consent.ts';

const crawl = (input: object) =>
  ({ job: resolveJob({ name: 'c', seeds: ['example.org'], ...input }) }) as unknown as LinkCrawl;
const inside = crawl({ fetch: { allowPrivate: ['10.0.0.0/8', 'intranet:8080'] } });
const module = crawl({ scraper: './mine.ts' });

it('a coordinator elsewhere needs the word of the owner, flag by flag', () => {
  const none = consentOf(['https://far.example:7311'], {});
  expect(() => requireConsent(crawl({}), none)).not.toThrow();
  expect(() => requireConsent(inside, none)).toThrow('10.0.0.0/8');
  expect(() => requireConsent(module, none)).toThrow('run modules');
  try {
    requireConsent(crawl({ scraper: './mine.ts', fetch: { allowPrivate: ['10.0.0.0/8'] } }), none);
  } catch (error) {
    expect(error).toMatchObject({
      next: expect.stringContaining('--allow-private 10.0.0.0/8 --allow-modules'),
    });
  }
  const some = consentOf(['https://far.example:7311'], { allowPrivate: ['10.0.0.0/8'] });
  expect(() => requireConsent(inside, some)).toThrow('intranet:8080');
  const all = { allowPrivate: ['10.0.0.0/8', 'intranet:8080'], allowModules: true };
  const agreed = consentOf(['https://far.example:7311'], all);
  expect(() => requireConsent(inside, agreed)).not.toThrow();
  expect(() => requireConsent(module, agreed)).not.toThrow();
});

it.each(['http://127.0.0.1:7311', 'http://localhost:7311/', 'ws://[::1]:1/link'])(
  '%s is this machine',
  (url) => {
    expect(() => requireConsent(inside, consentOf([url], {}))).not.toThrow();
  },
);

it.each(['http://127.0.0.1.evil.example', 'http://localhost.evil.example:1', 'http://10.0.0.5:7311'])(
  '%s is another one',
  (url) => {
    expect(() => requireConsent(inside, consentOf([url], {}))).toThrow('private');
  },
);
