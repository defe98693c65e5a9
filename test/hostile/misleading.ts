import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type BadServer, flood, headOf, once, reply } from './bad-server.ts';

/** Servers that lead in circles, hide behind robots.txt or drown us in addresses. */
const leads = ['redirect'];
const ok = ['ok'];
const redirect = (socket: Parameters<BadServer['answer']>[0], to: string, headers: string[] = []): void =>
  reply(socket, '', { status: 302, headers: [`Location: ${to}`, ...headers] });
const xml = { type: 'application/xml' };
const space = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const turns = new Map<string, number>();
const turn = (host: string): number => {
  const next = (turns.get(host) ?? 0) + 1;
  turns.set(host, next);
  return next;
};

const redirects: BadServer[] = [
  { name: 'loop-of-one', expects: leads, answer: (socket, path) => redirect(socket, path) },
  {
    name: 'loop-of-two',
    expects: leads,
    answer: (socket, path) => redirect(socket, path === '/a' ? '/b' : '/a'),
  },
  {
    name: 'endless-redirects',
    expects: leads,
    answer: (socket, _path, host) => redirect(socket, `/r${turn(host)}`),
  },
  {
    name: 'cookie-loop',
    expects: leads,
    answer: (socket, path, host) => redirect(socket, path, [`Set-Cookie: n=${turn(host)}`]),
  },
  {
    name: 'growing-redirects',
    expects: leads,
    answer: (socket, path) => redirect(socket, `${path}/again`),
  },
  {
    name: 'redirect-nowhere',
    expects: ['http-other'],
    answer: (socket) => reply(socket, '', { status: 302 }),
  },
  { name: 'redirect-empty', expects: leads, answer: (socket) => redirect(socket, '') },
  { name: 'redirect-file', expects: leads, answer: (socket) => redirect(socket, 'file:///etc/passwd') },
  {
    name: 'redirect-rubbish',
    expects: leads,
    answer: (socket) => redirect(socket, 'http://[::::]:99999999/%%%'),
  },
  { name: 'redirect-long', expects: leads, answer: (socket) => redirect(socket, `/${'x'.repeat(30_000)}`) },
  {
    name: 'redirect-many-hosts',
    expects: leads,
    answer: (socket, _path, host) => redirect(socket, `http://r${turn(host)}.${host}/`),
  },
  {
    name: 'redirect-endless-hosts',
    expects: leads,
    answer: (socket) => redirect(socket, away(socket)),
  },
  {
    name: 'redirect-endless-cookies',
    expects: leads,
    answer: (socket) => redirect(socket, away(socket), cookies),
  },
  {
    name: 'links-endless-hosts',
    expects: ok,
    answer: (socket) =>
      reply(socket, Array.from({ length: 40 }, () => `<a href="${away(socket)}">x</a>`).join('')),
  },
];

const cookies = Array.from(
  { length: 60 },
  (_, n) => `Set-Cookie: c${n}=${'v'.repeat(100)}; Domain=wildcard.test`,
);
/** A host that nobody has seen before. All of them lead on to the next. */
const away = ({ localPort = 80 }: Socket): string =>
  `http://away${turn('away')}.wildcard.test:${localPort}/away`;

/** Answers under all names that are nobody else's. */
export const wildServer: BadServer = {
  name: 'wild',
  expects: [],
  answer: (socket, path) => (path === '/away' ? redirect(socket, away(socket)) : reply(socket, 'wild')),
};

const slowPattern = `User-agent: *\n${`Disallow: /${'*a'.repeat(900)}$\nAllow: /${'*a'.repeat(900)}*b$\n`.repeat(140)}`;
const textRobots = (name: string, body: () => string | Buffer, more: Partial<BadServer> = {}): BadServer => ({
  name: `robots-${name}`,
  onRobots: true,
  pagesAllowed: true,
  expects: ok,
  answer: (socket) => reply(socket, body(), { type: 'text/plain' }),
  prepare: body,
  ...more,
});
const longPath = `/${'a'.repeat(1_900)}`;
const forbids: Partial<BadServer> = { pagesAllowed: false, expects: ['robots'] };
const unreadable: Partial<BadServer> = { pagesAllowed: false, expects: ['robots-unreachable'] };
const status = (code: number, headers: string[] = []): Partial<BadServer> => ({
  answer: (socket) => reply(socket, '', { status: code, headers }),
});

const robots: BadServer[] = [
  textRobots('endless', () => '', {
    answer: (socket) => flood(socket, headOf('Content-Type: text/plain'), 'Allow: /\n'),
  }),
  textRobots('endless-line', () => '', {
    answer: (socket) => flood(socket, headOf('Content-Type: text/plain'), 'x'),
  }),
  textRobots('slow-patterns', () => slowPattern, { path: longPath, ...forbids }),
  textRobots('slow-stars', () => `User-agent: *\nDisallow: /${'*'.repeat(100_000)}x\n`, { path: longPath }),
  textRobots('many-groups', () => Array.from({ length: 40_000 }, (_, n) => `User-agent: a${n}\n`).join('')),
  textRobots('many-rules', () => `User-agent: *\n${'Disallow: /no\n'.repeat(36_000)}`),
  textRobots('many-sitemaps', () =>
    Array.from({ length: 9_000 }, (_, n) => `Sitemap: /map${n}.xml\n`).join(''),
  ),
  textRobots('html', () => '<!doctype html><title>404</title>'),
  textRobots('utf-16', () => Buffer.from('\ufeffUser-agent: *\nDisallow: /\n', 'utf16le'), forbids),
  textRobots('returns', () => 'User-agent: *\rDisallow: /\r', forbids),
  textRobots('nulls', () => Buffer.alloc(400_000)),
  textRobots('delay', () => 'User-agent: *\nCrawl-delay: 1e99\n', { expects: ['crawl-delay'] }),
  textRobots('loop', () => '', { answer: (socket) => redirect(socket, '/robots.txt') }),
  textRobots('chain', () => '', {
    answer: (socket, _path, host) => redirect(socket, `/robots.txt?${turn(host)}`),
  }),
  textRobots('chain-of-hosts', () => '', { answer: (socket) => redirect(socket, away(socket)) }),
  textRobots('500', () => '', { ...unreadable, ...status(500) }),
  textRobots('503-later', () => '', {
    ...unreadable,
    ...status(503, ['Retry-After: Fri, 31 Dec 9999 23:59:59 GMT']),
  }),
  textRobots('429', () => '', { ...unreadable, ...status(429) }),
];

const sitemap = (
  name: string,
  answer: BadServer['answer'],
  prepare: () => unknown = () => {},
): BadServer => ({
  name: `sitemap-${name}`,
  robots: 'Sitemap: /map.xml\n',
  expects: ok,
  prepare,
  answer: (socket, path, host) =>
    path.startsWith('/map') ? answer(socket, path, host) : reply(socket, '<p>page'),
});
/** A sitemap that is the same for everybody. */
const fixedMap = (name: string, make: () => string | Buffer, type = 'application/xml'): BadServer => {
  const body = once(() => Buffer.from(make()));
  return sitemap(name, (socket) => reply(socket, body(), { type }), body);
};
const locations = (count: number): string =>
  Array.from({ length: count }, (_, n) => `<url><loc>/page${n}</loc></url>`).join('');
const laughs = `<!DOCTYPE l [<!ENTITY a "${'ha'.repeat(50)}">${Array.from({ length: 9 }, (_, n) => `<!ENTITY ${'bcdefghij'[n]} "${`&${'abcdefghij'[n]};`.repeat(10)}">`).join('')}]>`;

const sitemaps: BadServer[] = [
  sitemap('endless', (socket) =>
    flood(socket, `${headOf('Content-Type: application/xml')}<urlset ${space}>`, '<url><loc>/a</loc></url>'),
  ),
  fixedMap('many', () => `<urlset ${space}>${locations(150_000)}</urlset>`),
  fixedMap(
    'gzip',
    () => gzipSync(`<urlset ${space}>${locations(1_000_000)}`, { level: 1 }),
    'application/gzip',
  ),
  fixedMap('laughs', () => `${laughs}<urlset ${space}><url><loc>&j;</loc></url></urlset>`),
  fixedMap('nested', () => '<url>'.repeat(1_000_000)),
  fixedMap('open', () => `<urlset><url><loc>${'x'.repeat(9_000_000)}`),
  fixedMap('text', () => '/x\n'.repeat(3_000_000), 'text/plain'),
  sitemap('of-itself', (socket, path) =>
    reply(socket, `<sitemapindex ${space}><sitemap><loc>${path}</loc></sitemap></sitemapindex>`, xml),
  ),
  sitemap('chain-of-hosts', (socket) => redirect(socket, away(socket))),
  sitemap('of-hosts', (socket) => {
    const next = Array.from({ length: 50 }, () => `<sitemap><loc>${away(socket)}</loc></sitemap>`).join('');
    reply(socket, `<sitemapindex ${space}>${next}</sitemapindex>`, xml);
  }),
  sitemap('of-sitemaps', (socket, _path, host) => {
    const next = Array.from({ length: 50 }, () => `<sitemap><loc>/map${turn(host)}.xml</loc></sitemap>`).join(
      '',
    );
    reply(socket, `<sitemapindex ${space}>${next}</sitemapindex>`, xml);
  }),
];

const trap = (name: string, links: (path: string, n: number) => string[]): BadServer => ({
  name: `trap-${name}`,
  expects: ['ok'],
  answer: (socket, path, host) => {
    const found = links(path, turn(host)).map((to) => `<a href="${to}">${to}</a>`);
    reply(socket, `<title>${path}</title>${found.join(' ')}`);
  },
});

const traps: BadServer[] = [
  trap('calendar', (_path, n) => [`/day?date=${n}`, `/day?date=${n + 1}`, `/day?date=-${n}`]),
  trap('sessions', (_path, n) => [`/?token=${n}a${n * 7}`, `/list?session=${n * 31}`]),
  trap('deeper', (path) => [`${path}/deeper`.replace('//', '/'), 'again/', 'again/again/']),
  trap('maze', (path, n) =>
    Array.from({ length: 30 }, (_, k) => `/${(n * 31 + k).toString(36)}/${path.length}${k}`),
  ),
  trap('facets', (_path, n) => Array.from({ length: 30 }, (_, k) => `/list?a=${k}&b=${n}&c=${k * n}`)),
  trap('wildcard', (_path, n) => Array.from({ length: 20 }, (_, k) => `http://w${n}-${k}.wildcard.test/`)),
  {
    name: 'too-many',
    expects: ['http-429'],
    answer: (socket) => reply(socket, '', { status: 429, headers: ['Retry-After: 0'] }),
  },
  {
    name: 'unwell',
    expects: ['http-5xx'],
    answer: (socket) => reply(socket, '', { status: 503, headers: ['Retry-After: -5'] }),
  },
  {
    name: 'later',
    expects: ['http-5xx'],
    answer: (socket) =>
      reply(socket, '', { status: 503, headers: ['Retry-After: Fri, 31 Dec 9999 23:59:59 GMT'] }),
  },
  {
    name: 'cookie-flood',
    expects: ['ok'],
    answer: (socket) =>
      reply(socket, 'x', {
        headers: Array.from({ length: 200 }, (_, n) => `Set-Cookie: c${n}=${'v'.repeat(200)}`),
      }),
  },
];

export const misleadingServers: BadServer[] = [...redirects, ...robots, ...sitemaps, ...traps];
