import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { html, type Recipe, siteOf, smallPrint, unlike } from '../recipe.ts';

/** What is broken, and where it stands. */
const planted = [
  { target: 'https://example.org/old-guide', pages: ['https://example.org/', 'https://example.org/docs/'] },
  { target: 'https://elsewhere.example/gone', pages: ['https://example.org/docs/'] },
  { target: 'https://example.org/docs/#instal', pages: ['https://example.org/'] },
];

const truth = () => planted.flatMap(({ target, pages }) => pages.map((page) => `${target} on ${page}`));

interface Report {
  broken: { url: string; on: { page: string }[] }[];
}

export const brokenLinks: Recipe = {
  name: 'broken-links',
  hosts: {
    'example.org': siteOf({
      '/': html(
        'Home',
        '<a href="/old-guide">Guide</a> <a href="/docs/#instal">Install</a> <a href="/docs/">Docs</a>' +
          smallPrint,
      ),
      '/docs/': html(
        'Docs',
        '<h2 id="install">Install</h2><a href="/old-guide">the old guide</a>' +
          '<a href="https://elsewhere.example/gone">elsewhere</a> <a href="https://elsewhere.example/">good</a>' +
          '<a href="#install">good</a>' +
          smallPrint,
      ),
    }),
    'elsewhere.example': siteOf({ '/': html('Elsewhere', 'good') }),
  },
  env: () => Promise.resolve({}),
  /** The site that is not published yet. */
  before(_run, folder) {
    mkdirSync(join(folder, 'public'), { recursive: true });
    writeFileSync(join(folder, 'public/index.html'), html('New', '<a href="index.html">again</a>'));
  },
  judge({ folder, output }) {
    const { broken } = JSON.parse(output) as Report;
    const found = broken.flatMap(({ url, on }) => on.map(({ page }) => `${url} on ${page}`));
    const junit = readFileSync(join(folder, 'reports/links.xml'), 'utf8');
    const sarif = JSON.parse(readFileSync(join(folder, 'reports/links.sarif'), 'utf8')) as {
      runs: { results: unknown[] }[];
    };
    const failures = [...junit.matchAll(/<failure\b/g)].length;
    const results = sarif.runs[0]?.results.length;
    return [
      ...unlike('links', found, truth()),
      ...(failures === planted.length ? [] : [`${failures} failures in JUnit`]),
      ...(results === truth().length ? [] : [`${results} results in SARIF`]),
    ];
  },
  harm() {
    planted.push({ target: 'https://example.org/planted', pages: ['https://example.org/'] });
  },
};
