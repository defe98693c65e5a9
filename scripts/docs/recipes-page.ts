import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stepsOf } from '../../test/recipes/recipe-page.ts';
import { generated, table } from './markdown.ts';

const root = resolve(import.meta.dirname, '../..');
const peers = { scrapy: 'Scrapy', crawlee: 'Crawlee', crawl4ai: 'Crawl4AI' } as const;
type PeerName = keyof typeof peers;

interface Job {
  name: string;
  wish: string;
  /** What the programs for the others leave out or do not promise. */
  missing: string;
}

const jobs: Job[] = [
  {
    name: 'offline-mirror',
    wish: 'a site to read offline',
    missing:
      'Names that clash on Windows or macOS, `srcset`, style sheets that load others, redirects, a mirror of a crawl that was killed. Crawl4AI without a browser: not written.',
  },
  {
    name: 'archive-and-replay',
    wish: 'an archive that replays as it was',
    missing:
      'The bytes as they were sent: Scrapy and Crawlee hand over decoded bodies, so length and encoding do not fit. Requests, revisits, WACZ. Crawl4AI does not hand over the answer: not written.',
  },
  {
    name: 'broken-links',
    wish: 'a CI check for broken links',
    missing:
      'GET where HEAD fails, a second try for each cause, JUnit and SARIF, resuming. Crawl4AI asks with GET only, and drops fragments from links, so anchors are not checked.',
  },
  {
    name: 'markdown',
    wish: 'the text of a site as Markdown, for search and language models',
    missing:
      'Crawlee: the main content by tag names only. Names of files, language, date. A crawl that was killed: Scrapy may repeat or lose pages, the others start over.',
  },
  {
    name: 'shop-json-ld',
    wish: 'the products of a shop',
    missing:
      'References by `@id`, several types, a report of products without a required field, replay over stored pages.',
  },
  {
    name: 'all-pdfs',
    wish: 'all PDFs of a site',
    missing: 'PDFs on other hosts, the link text. Crawl4AI finds them by `.pdf` in the link.',
  },
  {
    name: 'many-domains',
    wish: 'the front pages of ten thousand domains',
    missing:
      'Scrapy and Crawlee count the pause from the start of a request, not the end of the answer. No limit per address, no back-off per host over restarts, and the outcome of what was never requested is not listed by all.',
  },
  {
    name: 'recrawl',
    wish: 'what changed since yesterday',
    missing: 'Crawlee and Crawl4AI fetch every page in full. A page that failed today counts as gone.',
  },
  {
    name: 'behind-a-login',
    wish: 'pages behind a login',
    missing:
      'Basic authentication is not in these programs. Crawlee and Crawl4AI do not keep cookies that change.',
  },
  {
    name: 'resume',
    wish: 'a crawl that survives kill -9',
    missing:
      'Scrapy asks for a clean stop: after kill -9 its queue on disk may be torn. Crawlee may write a page twice. Crawl4AI saves its state as one file after each page.',
  },
];

/** Lines that are neither empty nor comments. */
export function codeLines(text: string): number {
  const code = text.replace(/^""".*?"""$/ms, '');
  return code.split('\n').filter((line) => line.trim() !== '' && !/^\s*(#|\/\/)/.test(line)).length;
}

function ours(name: string): number {
  const page = readFileSync(join(root, `docs/recipes/${name}.md`), 'utf8');
  return stepsOf(page).reduce((sum, step) => sum + (step.do === 'expect' ? 0 : codeLines(step.text)), 0);
}

function theirs(peer: PeerName, name: string): string {
  const file = join(root, `test/peers/${peer}/${name}.${peer === 'crawlee' ? 'mjs' : 'py'}`);
  return existsSync(file) ? String(codeLines(readFileSync(file, 'utf8'))) : '–';
}

/** `docs/recipes/README.md`: what there is, and what the same takes elsewhere. */
export function recipesPage(): string {
  const pages = readdirSync(join(root, 'docs/recipes')).filter((name) => name !== 'README.md');
  const unlisted = pages.filter((file) => !jobs.some(({ name }) => file === `${name}.md`));
  if (unlisted.length > 0)
    throw new Error(`recipes that scripts/docs/recipes-page.ts does not list: ${unlisted.join(', ')}`);
  const names = Object.keys(peers) as PeerName[];
  return `${generated}

# Recipes

Ten things that people crawl for, each with the exact commands. \`npm run prove -- recipes\` reads the commands off these pages
and runs them as they stand, against sites of those names on the same machine, and compares what comes out with what the page
shows and with the sites' own log. \`webfarer docs recipes/NAME\` prints a page.

${table(
  ['you want', 'recipe', 'lines', ...names.map((name) => peers[name])],
  jobs.map(({ name, wish }) => [
    wish,
    `[${name}](${name}.md)`,
    String(ours(name)),
    ...names.map((peer) => theirs(peer, name)),
  ]),
)}

Lines that are neither empty nor comments: here all files and commands that a page has you write, there the smallest program
that we could write for the job, with robots.txt and one request per second as here. ${written}

What the other programs leave out or do not promise, so that the lines are not those of the same thing:

${table(
  ['recipe', 'missing there'],
  jobs.map(({ name, missing }) => [name, missing]),
)}
`;
}

const written = `The programs are in
[test/peers](../../test/peers); corrections are welcome.`;
