import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { html, jsonLines, nothing, type Recipe, served, siteOf, smallPrint, unlike } from '../recipe.ts';

const links = ['/', '/tools', '/tools/chisel', '/old', '/private/plan', '/private/list'];
const page = (title: string) =>
  html(
    title,
    `<h1>${title}</h1>${links.map((path) => `<a href="${path}">${path}</a>`).join(' ')}${smallPrint}`,
  );

/** Outcomes of the second crawl, whose job leaves /old out. */
function records(folder: string): { url: string; verdict: string }[] {
  return jsonLines(readFileSync(join(folder, 'catalog.crawl/results.jsonl'), 'utf8'));
}

export const tutorial: Recipe = {
  ...nothing,
  name: 'tutorial',
  hosts: {
    'example.org': siteOf({
      '/': page('Tools'),
      '/tools': page('All tools'),
      '/tools/chisel': page('A chisel'),
      '/robots.txt': { body: 'User-agent: *\nDisallow: /private/\n', type: 'text/plain' },
    }),
  },
  judge({ folder }, web) {
    const asked = served(web.log).map(({ path }) => path);
    const done = records(folder).filter(({ verdict }) => verdict === 'done');
    return [
      ...unlike('requests', new Set(asked), ['/', '/tools', '/tools/chisel']),
      ...unlike(
        'done',
        done.map(({ url }) => url),
        ['/', '/tools', '/tools/chisel'].map((path) => `https://example.org${path}`),
      ),
    ];
  },
  harm(_run, web) {
    const line = web.log.find(({ path }) => path === '/tools');
    if (line) web.log.push({ ...line, path: '/private/plan' });
  },
};
