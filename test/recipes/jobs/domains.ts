import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LogLine, Site } from '../lab-web.ts';
import { html, nothing, type Recipe } from '../recipe.ts';

const gapMs = 1_000;
const maxPages = 5;

/** Every tenth is closed by its robots.txt, and every seventh asks for more time. */
function domain(n: number): Site {
  return ({ path }) => {
    if (path === '/robots.txt') {
      if (n % 10 === 3) return { type: 'text/plain', body: 'User-agent: *\nDisallow: /\n' };
      return n % 7 === 2 ? { type: 'text/plain', body: 'User-agent: *\nCrawl-delay: 2\n' } : undefined;
    }
    if (path === '/') {
      const links = Array.from({ length: n % 4 === 1 ? 9 : 1 }, (_, at) => `<a href="/page-${at}">${at}</a>`);
      return { body: html(`Domain ${n}`, links.join(' ')) };
    }
    return { body: html(`${path} of ${n}`, '<a href="/deeper">deeper</a>') };
  };
}

/** What a polite crawl must not do, by the log of one domain. */
function rude(host: string, lines: LogLine[], n: number): string[] {
  const pages = lines.filter(({ path }) => path !== '/robots.txt');
  const pauseMs = n % 7 === 2 ? 2 * gapMs : gapMs;
  return [
    ...(lines[0]?.path === '/robots.txt' ? [] : [`${host}: robots.txt was not read first`]),
    ...(n % 10 === 3 && pages.length > 0 ? [`${host}: robots.txt forbids it`] : []),
    ...(n % 10 !== 3 && pages.length !== (n % 4 === 1 ? maxPages : 2)
      ? [`${host}: ${pages.length} pages`]
      : []),
    ...pages.flatMap(({ startMs, path }, at) => {
      const before = pages[at - 1];
      return before && startMs - before.endMs < pauseMs
        ? [`${host}${path}: ${startMs - before.endMs} ms`]
        : [];
    }),
  ];
}

export function domains(count: number): Recipe {
  const names = Array.from({ length: count }, (_, n) => `domain-${n}.example`);
  const list = names.map((name) => `http://${name}/`);
  return {
    ...nothing,
    name: 'many-domains',
    hosts: {
      'lists.example': () => ({ type: 'text/plain', body: `${list.join('\n')}\n` }),
      ...Object.fromEntries(names.map((name, n) => [name, domain(n)])),
    },
    judge({ folder }, web) {
      const rows = readFileSync(join(folder, 'domains.crawl/results.csv'), 'utf8').split('\n');
      const byHost = Map.groupBy(web.log, ({ host }) => host);
      const reasons = (name: string) => rows.filter((row) => row.includes(`http://${name}/,`)).join(' ');
      return [
        ...names.flatMap((name, n) => rude(name, byHost.get(name) ?? [], n)),
        ...(reasons('domain-3.example').includes('robots')
          ? []
          : ['a closed domain is not listed as refused']),
      ];
    },
    /** One request right behind the one before it. */
    harm(_run, web) {
      const line = web.log.findLast(
        ({ host, path }) => host === 'domain-0.example' && path !== '/robots.txt',
      );
      if (line) web.log.push({ ...line, startMs: line.endMs });
    },
  };
}
