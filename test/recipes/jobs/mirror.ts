import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { html, nothing, type Recipe, served, siteOf } from '../recipe.ts';

const head = '<link rel="stylesheet" href="/style.css">';
const page = (title: string, body: string) => html(title, `<h1>${title}</h1>${body}`, head);
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
/** Neither the front page, which only leads to that of the site, nor what the next run continues from. */
const copies = (mirror: string) =>
  filesIn(mirror).filter((path) => path !== join(mirror, 'index.html') && !/\/\.webfarer-\w+\.db/.test(path));

/** Every address in the pages of the mirror must be a file of it, and everything that was served must be there. */
function wrongIn(mirror: string, bodies: readonly string[]): string[] {
  const files = copies(mirror);
  const targets = files
    .filter((file) => file.endsWith('.html'))
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/(?:href|src)="([^"#]*)/g)].map(([, to = '']) => ({
        file,
        to,
      })),
    );
  return [
    ...(files.length === bodies.length ? [] : [`${files.length} files of ${bodies.length} answers`]),
    ...(targets.length === 0 ? ['no links at all'] : []),
    ...targets
      .filter(({ file, to }) => !existsSync(resolve(dirname(file), decodeURIComponent(to))))
      .map(({ file, to }) => `${file} leads to ${to}, which is not there`),
  ];
}

export const mirror: Recipe = {
  ...nothing,
  name: 'offline-mirror',
  hosts: {
    'docs.example.org': siteOf({
      '/': page(
        'Docs',
        '<a href="/guide/">Guide</a> <a href="/guide/start?lang=en">Start</a> <img src="/logo.png">',
      ),
      '/guide/': page('Guide', '<a href="start?lang=en">Start</a> <a href="/">Docs</a>'),
      '/guide/start?lang=en': page('Start', '<a href="./">Guide</a>'),
      '/style.css': { type: 'text/css', body: 'h1 { color: navy }' },
      '/logo.png': { type: 'image/png', body: png },
    }),
  },
  judge({ folder }, web) {
    const paths = [...new Set(served(web.log).map(({ path }) => path))];
    return [
      ...(paths.length === 5 ? [] : [`${paths.length} of 5 addresses were fetched`]),
      ...['docs.example.org.crawl/mirror', 'docs'].flatMap((name) => wrongIn(join(folder, name), paths)),
    ];
  },
  harm({ folder }) {
    const image = copies(join(folder, 'docs')).find((path) => path.endsWith('.png'));
    if (image !== undefined) rmSync(image);
  },
};
