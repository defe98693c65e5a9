import { dirname } from 'node:path';
import { pythonFor } from '../../outside/python.ts';
import { html, type Recipe, served, siteOf } from '../recipe.ts';
import type { Reply } from '../lab-web.ts';

const pages: Record<string, string | Reply> = {
  '/': html(
    'Home',
    '<a href="/about">About</a> <img src="/logo.svg">',
    '<link rel="stylesheet" href="/s.css">',
  ),
  '/about': html('About', '<p>Café, 10 €</p> <a href="/">Home</a>'),
  '/s.css': { type: 'text/css', body: 'p { color: teal }' },
  '/logo.svg': { type: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' },
};

export const archive: Recipe = {
  name: 'archive-and-replay',
  hosts: { 'example.org': siteOf(pages) },
  async env() {
    return { PATH: `${dirname(await pythonFor('archives'))}:${process.env.PATH}` };
  },
  before() {},
  /** pywb gives back what the site sent, byte for byte, and nothing that the site never sent. */
  async judge({ server }, web) {
    const problems: string[] = [];
    const replayed = (path: string) => fetch(`${server}/site/id_/https://example.org${path}`);
    const sent = new Set(served(web.log).map(({ path }) => path));
    for (const path of Object.keys(pages)) if (!sent.has(path)) problems.push(`${path} was never requested`);
    for (const path of sent) {
      const page = pages[path];
      const body = typeof page === 'string' ? page : page?.body;
      if ((await (await replayed(path)).text()) !== body)
        problems.push(`${path} is not replayed as it was sent`);
    }
    if ((await replayed('/never')).status !== 404) problems.push('pywb has a page that was never sent');
    return problems;
  },
  /** As if the site had sent something else. */
  harm() {
    pages['/about'] = html('About', '<p>Tea, 10 €</p>');
  },
};
