import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { html, nothing, type Recipe, siteOf } from '../recipe.ts';

const nav =
  '<nav><a href="/docs/">Home</a> <a href="/docs/install">Install</a> <a href="/docs/usage">Usage</a></nav>';
const footer = '<footer><p>Subscribe to our newsletter and follow us everywhere.</p></footer>';
const page = (title: string, body: string) =>
  html(title, `${nav}<main><article><h1>${title}</h1>${body}</article></main>${footer}`);

/** What each page says. */
const says: Record<string, string> = {
  index:
    'The manual explains how the program is installed and how it is used, step by step, on every system.',
  install: 'Unpack the archive into a folder of your choice, then run the program once to see that it works.',
  usage: 'Start the program with the name of a file, and it prints what it has found there, line by line.',
};
const fileOf = (folder: string, name: string) =>
  join(folder, `example.org.crawl/markdown/example.org/docs/${name}.md`);

export const markdown: Recipe = {
  ...nothing,
  name: 'markdown',
  hosts: {
    'example.org': siteOf({
      '/docs/': page('Manual', `<p>${says.index}</p>`),
      '/docs/install': page(
        'Install',
        `<p>Download the <a href="/releases">latest release</a> and check its size.</p><p>${says.install}</p>`,
      ),
      '/docs/usage': page('Usage', `<p>${says.usage}</p>`),
    }),
  },
  judge({ folder }) {
    return Object.entries(says).flatMap(([name, text]) => {
      const written = readFileSync(fileOf(folder, name), 'utf8').replaceAll(/\s+/g, ' ');
      return [
        ...(written.includes(text) ? [] : [`${name} does not say what the page says`]),
        ...(written.includes('newsletter') ? [`${name} has the footer`] : []),
      ];
    });
  },
  harm({ folder }) {
    const file = fileOf(folder, 'usage');
    writeFileSync(file, readFileSync(file, 'utf8').replace('line by line', 'at once'));
  },
};
