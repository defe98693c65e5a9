import { createHash } from 'node:crypto';
import type { Reply } from './reply.ts';

/** A crawl of two hosts of which a person wrote down what it finds. */
export const figures = {
  crawl: 'figures',
  seeds: ['http://figures.example/', 'http://depot.example/'],
  urls: 11,
  pages: 7,
  answers: 10,
  hosts: 2,
  /** `/b` and its twin. */
  contents: 6,
  statuses: { 200: 7, 301: 1, 404: 1, 500: 1 },
  types: { 'text/html': 9, 'application/pdf': 1 },
  paperBytes: 40_000,
} as const;

const page = (language: string, links: readonly string[], text = ''): Reply => ({
  status: 200,
  body: `<!doctype html><html lang="${language}"><title>Figures</title><h1>Figures</h1><p>${text}${links
    .map((link) => `<p><a href="${link}">${link}</a>`)
    .join('')}`,
});

/** Hosts that are only linked to: their names lead nowhere. */
export const partners = Array.from({ length: 5 }, (_, n) => `partner-${n + 1}.example`);

/** Links between hosts, and how many: each page that links to a page of the other counts once. */
export const hostLinks = [
  'figures.example depot.example 3',
  'depot.example figures.example 3',
  ...partners.map((host, n) => `figures.example ${host} ${n === 0 ? 2 : 1}`),
];

const answers: Readonly<Record<string, Reply>> = {
  'figures.example/': page('en', [
    '/a',
    '/b',
    '/twin',
    '/old',
    '/missing',
    '/ill',
    '/private/x',
    '/paper.pdf',
    'http://depot.example/',
    'http://depot.example/stock',
    ...partners.map((host) => `http://${host}/`),
  ]),
  'figures.example/a': page('de', ['/', 'http://depot.example/stock', `http://${partners[0]}/`], 'Hallo'),
  'figures.example/b': page('en', [], 'the same twice'),
  'figures.example/twin': page('en', [], 'the same twice'),
  'figures.example/old': { status: 301, body: '', headers: { location: '/a' } },
  'figures.example/ill': { status: 500, body: 'broken' },
  'figures.example/robots.txt': {
    status: 200,
    body: 'User-agent: *\nDisallow: /private/\n',
    headers: { 'content-type': 'text/plain' },
  },
  'figures.example/paper.pdf': {
    status: 200,
    body: paper(),
    headers: { 'content-type': 'application/pdf' },
  },
  'depot.example/': page('en', ['/stock', 'http://figures.example/', 'http://figures.example/a'], 'Depot'),
  'depot.example/stock': page('en', ['http://figures.example/b'], 'Stock'),
};

/** Bytes that no compression makes shorter. */
function paper(): string {
  let text = '%PDF-1.4\n';
  for (let n = 0; text.length < figures.paperBytes; n++)
    text += createHash('sha256').update(`${n}`).digest('hex');
  return text.slice(0, figures.paperBytes);
}

export const figuresSite =
  (host: string) =>
  (path: string): Reply =>
    answers[host + path] ?? { status: 404, body: 'not here' };
