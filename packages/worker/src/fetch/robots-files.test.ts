import type { RobotsCopy, Url } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import { createRobotsFiles } from './robots-files.ts';

const copyOf = (body: string, state: RobotsCopy['state'] = 'rules'): RobotsCopy => ({
  origin: 'https://a.example',
  fetchedAtMs: 0,
  state,
  body,
});
const url = 'https://a.example/private/x' as Url;

describe('robots files', () => {
  it('decide by the text of each copy, however many are kept', () => {
    const files = createRobotsFiles();
    const closed = copyOf('User-agent: *\nDisallow: /private/');
    expect(files.verdict(closed, 'webfarer', url).allowed).toBe(false);
    for (let n = 0; n < 2_100; n++)
      expect(files.verdict(copyOf(`# ${n}\nUser-agent: *\nAllow: /`), 'webfarer', url).allowed).toBe(true);
    expect(files.verdict({ ...closed }, 'webfarer', url).allowed).toBe(false);
  });

  it('name sitemaps once, relative to the origin, and none where there are no rules', () => {
    const files = createRobotsFiles();
    const body =
      'Sitemap: /a.xml\nSitemap: https://a.example/a.xml\nSitemap: https://b.example/b.xml\nSitemap: ::';
    expect(files.sitemaps(copyOf(body))).toEqual(
      expect.arrayContaining(['https://a.example/a.xml', 'https://b.example/b.xml']),
    );
    expect(files.sitemaps(copyOf(body)).filter((text) => text === 'https://a.example/a.xml')).toHaveLength(1);
    expect(files.sitemaps(copyOf(body, 'absent'))).toEqual([]);
  });
});
