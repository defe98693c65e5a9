import { parseRobots } from '@webfarer/protocol/robots';
import { assemble, mutate } from '../mutate.ts';
import { buffers, must, seedFiles, type Target, type TargetOptions } from '../target.ts';

// biome-ignore format: a table of pieces
const pieces = [
  'User-agent:', 'user-agent: *\n', 'User-agent: webfarer\n', 'Disallow:', 'Disallow: /\n', 'Allow: /a*b$\n', 'Allow', ':',
  'Sitemap: https://a.example/s.xml\n', 'Crawl-delay: 5\n', 'crawl-delay: 1e309\n', 'Crawl-delay: -1\n', '\n', '\r', '\r\n', ' ',
  '\t', '#', '# x\n', '*', '**', '$', '/', '/a', '/*/*/*', '%2F', '%zz', '%C3%A9', 'é', '?', '\0', '\ufeff', '\u2028', 'webfarer', 'x',
];
const agents = ['webfarer', '*', '', 'WebFarer', 'x'];
const paths = [
  '/',
  '',
  '/a',
  '/a/b?c=%zz',
  '/%C3%A9',
  '/é',
  `/${'a'.repeat(300)}`,
  '/a$',
  '/*',
  '/robots.txt',
  '?x',
];

export async function open({ corpora }: TargetOptions): Promise<Target> {
  const seeds = [
    ...buffers(['User-agent: *\nDisallow: /private\nAllow: /private/open\nCrawl-delay: 2\n']),
    ...seedFiles(corpora, 'crawler-commons/robots'),
    ...seedFiles(corpora, 'robots-google/correctness'),
  ];
  const words = buffers(pieces);
  return {
    make: (random) =>
      random.chance(0.5)
        ? Buffer.from(assemble(random, pieces, 60))
        : mutate(random, random.pick(seeds), words),
    run(input) {
      const text = input.toString('utf8');
      const lines = text.split(/\r\n|\r|\n/).length;
      const [robots, again] = [parseRobots(text), parseRobots(text)];
      for (const agent of agents) {
        const delay = robots.crawlDelayMs(agent);
        must(delay === undefined || (delay >= 0 && Number.isFinite(delay)), `a delay of ${delay}`);
        must(robots.rulesFor(agent) <= lines, 'more rules than lines');
        for (const path of paths) {
          const decision = robots.decide(agent, path);
          const other = again.decide(agent, path);
          must(
            JSON.stringify(decision) === JSON.stringify(other),
            `two decisions about ${path} for ${agent}`,
          );
          must(
            decision.line === undefined || decision.line <= lines,
            `decided by line ${decision.line} of ${lines}`,
          );
        }
      }
      must(robots.sitemaps.length <= lines, 'more sitemaps than lines');
    },
  };
}
