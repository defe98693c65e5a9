import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Url } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import {
  createScope,
  groupOf,
  hostOf,
  linkProblem,
  maxUrlBytes,
  normaliser,
  originOf,
  parseUrl,
  pathOf,
  seedUrl,
  siteOf,
  surt,
} from '@webfarer/protocol/url';
import { readWptCases } from '../../../packages/protocol/src/url/wpt.fixture.ts';
import { assemble, mutate } from '../mutate.ts';
import type { Random } from '../random.ts';
import { buffers, must, type Target, type TargetOptions } from '../target.ts';

// biome-ignore format: a table of pieces
const pieces = [
  'http:', 'https:', 'HTTP:', 'ftp:', 'javascript:', 'data:', 'file:', '//', '/', '\\', '\\\\', '///', 'a.example',
  'www.a.example', 'A.EXAMPLE', 'xn--', 'xn--80ak6aa92e', 'ä.example', '例え.テスト', '127.1', '0x7f.1', '[::1]', '[::ffff:1.2.3.4]',
  '1.2.3.4.', '%61', '%2e', '%2E%2e', '..', '.', '...', ';', ';jsessionid=1', ';sid=2', '?', '&', '&amp;', '=', 'sid=1',
  'utm_source=x', 'b=2', 'a=1', 'PHPSESSID=9', '#', '#!', 'x', 'index.html', '@', 'user:pw@', ':', ':80', ':443', ':8080',
  ':0', ':99999', ' ', '\t', '\n', '\0', '%', '%%', '%zz', '%C3%A9', '%ff', 'é', '\ud800', '\ufeff', '\u202e', '+', ',', '|',
  '^', '`', '{', '}', '"', "'", '<', '>', 'a/b/c/', 'a/a/a/', '-', '_', '~', '*', '$',
];

const bases = [
  'https://a.example/dir/page.html?x=1',
  'http://[::1]:8080/',
  'https://ä.example/ö/',
  undefined,
] as const;

const job = resolveJob({
  seeds: ['https://a.example/'],
  scope: { stay: 'site', exclude: ['**/login/**', { regex: '[?&]sort=' }] },
});

export async function open({ corpora }: TargetOptions): Promise<Target> {
  const seeds = buffers([
    ...pieces,
    ...(corpora === undefined ? [] : readWptCases(corpora).map(({ input }) => input)),
    ...(corpora === undefined
      ? []
      : (JSON.parse(readFileSync(join(corpora, 'strings/blns.json'), 'utf8')) as string[])),
  ]);
  const words = buffers(pieces);
  const tidy = normaliser({ enabled: true, sort: true, strip: ['PHPSESSID', 'JSESSIONID', 'sid', 'utm_*'] });
  const plain = normaliser({ enabled: false, sort: false, strip: [] });
  const scope = createScope(job, ['https://a.example/' as Url]);

  function check(text: string, base: string | undefined, normalise: typeof tidy): void {
    const url = normalise(text, base);
    if (url === undefined) {
      must(
        ['scheme', 'invalid', 'too-long'].includes(linkProblem(text, base)),
        'a refused link has a reason',
      );
      return;
    }
    must(normalise(url) === url, `normalising twice changes it: ${url} then ${normalise(url)}`);
    must(hostOf(url) === parseUrl(text, base)?.hostname, `the host changed: ${url}`);
    must(/^https?:\/\/[!-~]+$/.test(url) && url.length <= maxUrlBytes, `not a plain URL: ${url}`);
    must(originOf(url) + pathOf(url) === url, `origin and path are not all of it: ${url}`);
    must(!url.includes('#'), `a fragment is left: ${url}`);
    must(surt(url) === surt(url) && surt(url).includes(')/'), `the archive's key is none: ${surt(url)}`);
    const site = siteOf(hostOf(url));
    // A last dot makes another host, but not another site.
    must(hostOf(url).replace(/\.$/, '').endsWith(site), `${site} is not the site of ${url}`);
    must(Number.isInteger(groupOf(site)), 'a site has a group');
    for (const kind of ['page', 'requisite', 'sitemap'] as const) {
      const link = { url, depth: 1, parentCost: 0, kind, hops: 0 };
      const [one, two] = [scope.decide(link), scope.decide(link)];
      must(JSON.stringify(one) === JSON.stringify(two), `scope says two things of ${url}`);
    }
  }

  return {
    make: (random: Random) =>
      random.chance(0.5)
        ? Buffer.from((random.chance(0.6) ? 'https://a.example/' : '') + assemble(random, pieces, 12))
        : mutate(random, random.pick(seeds), words),
    run(input) {
      const text = input.toString('utf8');
      for (const base of bases) {
        check(text, base, tidy);
        check(text, base, plain);
      }
      for (const seed of seedUrl(text)) must(plain(seed) === seed, `a seed that is no URL: ${seed}`);
    },
  };
}
