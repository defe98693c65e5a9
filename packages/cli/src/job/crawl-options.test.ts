import { parseJobFile, resolveJob } from '@webfarer/protocol/job';
import { describe, expect, test } from 'vitest';
import { jobInputFrom, typedPrivate, withOverrides } from './crawl-options.ts';
import { initFile } from './init-file.ts';

describe('options to job', () => {
  /** A crawl of one site has one limit of pages. */
  const ownSite = { perHost: { pages: 'none' }, perSite: { pages: 'none' } };

  test('only what was said is in it', () => {
    expect(jobInputFrom(['example.org'], {})).toEqual({ seeds: ['example.org'], limits: ownSite });
    expect(jobInputFrom(['example.org'], { stay: 'web' })).toEqual({
      seeds: ['example.org'],
      scope: { stay: 'web' },
    });
  });

  test('every option has its place', () => {
    const input = jobInputFrom(['https://example.org/docs/'], {
      stay: 'path',
      include: ['**/docs/**'],
      exclude: ['**/login/**', 'regex:[?&]sort='],
      requisites: true,
      limit: '5,000',
      depth: 'none',
      bytes: '2GB',
      duration: '2h',
      gap: '500ms',
      retries: '1',
      contact: 'me@example.org',
      ua: 'mybot/{version} (+{contact})',
      dns: ['127.0.0.1:5353'],
      allowPrivate: ['10.0.0.0/8'],
      proxy: 'socks5://127.0.0.1:9050',
      sitemaps: false,
      scraper: './mine.ts',
      save: ['warc', 'tar.gz', 'tar.zst'],
      threshold: ['failed<1%', '404 <= 10'],
      processes: '4',
    });
    expect(input).toEqual({
      processes: 4,
      seeds: ['https://example.org/docs/'],
      contact: 'me@example.org',
      scope: {
        stay: 'path',
        include: ['**/docs/**'],
        exclude: ['**/login/**', { regex: '[?&]sort=' }],
        requisites: true,
      },
      limits: { pages: 5000, depth: 'none', bytes: '2GB', duration: '2h', ...ownSite },
      politeness: { gap: '500ms' },
      robots: { sitemaps: false },
      fetch: {
        userAgent: 'mybot/{version} (+{contact})',
        dns: ['127.0.0.1:5353'],
        allowPrivate: ['10.0.0.0/8'],
        proxy: [{ use: 'socks5://127.0.0.1:9050' }],
        retries: { count: 1 },
      },
      scraper: './mine.ts',
      save: ['warc', { tar: { compress: 'gz' } }, { tar: { compress: 'zst' } }],
      thresholds: { failed: '<1%', '404': '<= 10' },
    });
    // And a job is what comes of it.
    expect(resolveJob(input)).toMatchObject({ limits: { pages: 5000 }, politeness: { gapMs: 500 } });
  });

  test('what cannot be understood is said with an example', () => {
    expect(() => jobInputFrom(['http://'], {})).toThrow('is not a web address');
    expect(() => jobInputFrom(['example.org'], { limit: 'many' })).toThrow(
      '--limit needs a whole number, not "many"',
    );
    expect(() => jobInputFrom(['example.org'], { threshold: ['1%'] })).toThrow('--threshold "1%" is invalid');
  });

  test('an origin that can only be private is allowed because it was typed, exactly that one', () => {
    expect(typedPrivate(['http://localhost:3000/app'])).toEqual(['http://localhost:3000']);
    expect(typedPrivate(['example.org', 'https://intranet.example.com'])).toEqual([]);
    expect(typedPrivate(['shop.test'])).toEqual(['https://shop.test', 'http://shop.test']);
    expect(typedPrivate(['10.1.2.3:8080'])).toEqual(['http://10.1.2.3:8080', 'https://10.1.2.3:8080']);
    expect(jobInputFrom(['http://localhost:3000'], {})).toEqual({
      seeds: ['http://localhost:3000'],
      limits: ownSite,
      fetch: { allowPrivate: ['http://localhost:3000'] },
    });
  });
});

describe('init', () => {
  const answers = {
    name: 'example.org',
    seed: 'https://example.org/?q=a b',
    stay: 'site',
    pages: 5000,
    save: 'warc',
    scraper: 'links',
  };

  test('what it writes is what run reads', () => {
    const { job } = parseJobFile(initFile(answers, 'job.yml'), 'job.yml');
    expect(job).toMatchObject({
      name: 'example.org',
      limits: { pages: 5000, bytes: 20e9 },
      politeness: { gapMs: 1000 },
    });
    expect(job.seeds).toEqual([{ url: 'https://example.org/?q=a b' }]);
  });

  test('settings of an earlier crawl are kept', () => {
    const kept = {
      fetch: { dns: ['127.0.0.1:5353'], allowPrivate: ['http://shop.test'] },
      politeness: { gap: '50ms' },
    };
    const text = initFile({ ...answers, contact: 'me@example.org', kept }, 'job.yml');
    expect(text).toMatch(/^# yaml-language-server: \$schema=/);
    const { job } = parseJobFile(text, 'job.yml');
    expect(job).toMatchObject({
      contact: 'me@example.org',
      fetch: { dns: ['127.0.0.1:5353'] },
      politeness: { gapMs: 50 },
    });
  });

  test('names that YAML would read as something else are quoted', () => {
    for (const name of ['true', '12', 'a: b', '- x', '#no']) {
      expect(parseJobFile(initFile({ ...answers, name }, 'job.yml'), 'job.yml').job.name).toBe(name);
    }
  });
});

describe('a job file with options besides', () => {
  const file = {
    seeds: ['example.org'],
    limits: { pages: 10, depth: 3 },
    fetch: { retries: { count: 5, backoff: '1s' }, dns: ['10.0.0.1'] },
  };
  test('keeps what the options do not say', () => {
    expect(withOverrides(file, {})).toEqual(file);
    expect(withOverrides(file, { limit: '20', retries: '1', gap: '2s', dns: ['127.0.0.1'] })).toEqual({
      ...file,
      limits: { pages: 20, depth: 3 },
      politeness: { gap: '2s' },
      fetch: { retries: { count: 1, backoff: '1s' }, dns: ['127.0.0.1'] },
    });
  });
});
