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

it.each([
  ['10.0.0.0/8', '10.1.0.0/16', true],
  ['10.0.0.0/8', '10.0.0.5', true],
  ['10.0.0.0/8', '10.0.0.5:8080', true],
  ['10.0.0.0/8', 'http://10.0.0.5:8080', true],
  ['127.0.0.0/8', '127.0.0.1', true],
  ['fd00::/8', '[fd00::1]:8080', true],
  ['10.0.0.0/8', '11.0.0.1', false],
  ['10.0.0.5:8080', '10.0.0.5:9090', false],
  ['0.0.0.0/0', 'intranet:8080', false],
])('what the owner allows, %s, is compared with %s as a network', (own, wanted, isCovered) => {
  const consent = consentOf(['https://far.example:7311'], { allowPrivate: [own] });
  const ask = () => requireConsent(crawl({ fetch: { allowPrivate: [wanted] } }), consent);
  if (isCovered) expect(ask).not.toThrow();
  else expect(ask).toThrow('wants to read private addresses');
});

it('a network that the owner allows covers none that is wider', () => {
  const consent = consentOf(['https://far.example:7311'], { allowPrivate: ['10.0.0.0/16'] });
  const wide = crawl({ fetch: { allowPrivate: ['10.0.0.0/8'] } });
  expect(() => requireConsent(wide, consent)).toThrow('10.0.0.0/8');
});

it('a coordinator elsewhere may have captures sent only to places that the owner named', () => {
  const far = ['https://far.example:7311'];
  const to = (at: string, endpoint?: string) =>
    crawl({ save: [{ warc: { at, ...(endpoint ? { s3: { endpoint } } : {}) } }] });
  const none = consentOf(far, {});
  expect(() => requireConsent(to('s3://archive/a'), none)).toThrow('send captures to s3://archive/a');
  const aws = consentOf(far, { allowStorage: ['s3://archive/'] });
  expect(() => requireConsent(to('s3://archive/a'), aws)).not.toThrow();
  expect(() => requireConsent(to('s3://archive-of-others/a'), aws)).toThrow('s3://archive-of-others/a');
  // The same bucket of another server is another place.
  expect(() => requireConsent(to('s3://archive/a', 'http://10.0.0.9:9000'), aws)).toThrow(
    'http://10.0.0.9:9000/archive/a',
  );
  const own = consentOf(far, { allowStorage: ['http://10.0.0.9:9000/archive'] });
  expect(() => requireConsent(to('s3://archive/a', 'http://10.0.0.9:9000'), own)).not.toThrow();
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
