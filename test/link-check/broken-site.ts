import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificates } from '../fake-web/certificates.ts';

/** What a link turns out to be, by construction. Targets of the kind `plain` are none of a check's business. */
export type Truth =
  | { is: 'good' | 'plain' }
  | { is: 'redirected'; to: string }
  | { is: 'broken'; kind: 'link' | 'anchor' | 'address'; reason: string; status?: number; via?: string[] }
  | { is: 'unchecked'; reason: string };

export interface Planted {
  href: string;
  /** As a report names it, where that is not the href made absolute. */
  url?: (page: string) => string;
  attributes?: string;
  truth: Truth;
}

/** A site on which every kind of broken link stands, each on several pages, and what is true of each. */
export interface BrokenSite {
  origin: string;
  /** Everything but the site itself that may be contacted. */
  allowed: string[];
  planted: Planted[];
  pages: string[];
  /** The link text of a target on a page; undefined where it does not stand there. */
  textOn(target: number, page: number): string | undefined;
  /** `METHOD url`, robots.txt left out. */
  asked: string[];
  stop(): Promise<void>;
}

const pages = ['/', '/p1', '/p2', '/p3'];
/** Each target misses a third of the pages. */
const textOn = (target: number, page: number) =>
  (target + page) % 3 === 0 ? undefined : `target ${target} on page ${page}`;

export async function startBrokenSite(): Promise<BrokenSite> {
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-broken-'));
  const { key, cert } = await makeCertificates(folder, ['elsewhere.test']);
  const asked: string[] = [];
  const servers: Server[] = [];
  let port = 0;
  const hosts = { own: '127.0.0.1', other: '127.0.0.2', hangs: '127.0.0.4', busy: '127.0.0.6' };
  const at = (host: keyof typeof hosts | '127.0.0.5' | '127.0.0.9', path: string) =>
    `http://${host in hosts ? hosts[host as keyof typeof hosts] : host}:${port}${path}`;
  let secure = '';

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const url = `http://${request.headers.host}${request.url}`;
    const html = (body: string) =>
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(body);
    const to = (location: string) => response.writeHead(302, { location }).end();
    const status = (code: number) => response.writeHead(code, { 'content-type': 'text/plain' }).end('no');
    if (url.endsWith('/robots.txt'))
      return void response.end(`User-agent: *\nDisallow: /closed\nSitemap: ${at('own', '/sitemap.xml')}\n`);
    asked.push(`${request.method} ${url}`);
    const answers: Record<string, () => unknown> = {
      [at('own', '/sitemap.xml')]: () =>
        response.end(`<urlset><url><loc>${at('own', '/gone-from-sitemap')}</loc></url></urlset>`),
      [at('own', '/denied')]: () => status(403),
      [at('own', '/error')]: () => status(500),
      [at('own', '/reset')]: () => request.socket.destroy(),
      [at('own', '/moved')]: () => response.writeHead(301, { location: '/p1' }).end(),
      [at('own', '/moved-2')]: () => to('/p1'),
      [at('own', '/moved-gone')]: () => to('/gone'),
      [at('own', '/out')]: () => to(at('other', '/gone-outside')),
      [at('own', '/loop-1')]: () => to('/loop-2'),
      [at('own', '/loop-2')]: () => to('/loop-1'),
      [at('own', '/nowhere')]: () => to('http://['),
      [at('own', '/file.bin')]: () =>
        response.writeHead(200, { 'content-type': 'application/zip' }).end('zip'),
      [at('own', '/landing')]: () => html('<a href="/gone-from-landing">deep</a>'),
      [at('other', '/ok')]: () => html('fine'),
      [at('other', '/no-head')]: () => (request.method === 'HEAD' ? status(405) : html('fine')),
      [at('other', '/back')]: () => to(at('own', '/landing')),
      [at('hangs', '/never')]: () => undefined,
      [at('busy', '/')]: () => status(429),
    };
    const page = url.startsWith(at('own', '/')) ? pages.indexOf(request.url ?? '') : -1;
    if (page >= 0) html(pageHtml(page, planted));
    else if (answers[url]) answers[url]();
    else status(404);
  }

  for (const host of Object.values(hosts)) {
    const server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(port, host, resolve));
    ({ port } = server.address() as AddressInfo);
    servers.push(server);
  }
  const encrypted = createSecureServer({ key, cert }, answer);
  await new Promise<void>((resolve) => encrypted.listen(0, '127.0.0.3', resolve));
  secure = `https://127.0.0.3:${(encrypted.address() as AddressInfo).port}`;
  servers.push(encrypted);
  const planted = plant(at, secure);

  return {
    origin: at('own', ''),
    allowed: [at('other', ''), at('hangs', ''), at('busy', ''), at('127.0.0.5', ''), secure],
    planted,
    pages: pages.map((path) => at('own', path)),
    textOn,
    asked,
    async stop() {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type At = (host: 'own' | 'other' | 'hangs' | 'busy' | '127.0.0.5' | '127.0.0.9', path: string) => string;

function plant(at: At, secure: string): Planted[] {
  const broken = (reason: string, more: { status?: number; via?: string[] } = {}): Truth => ({
    is: 'broken',
    kind: 'link',
    reason,
    ...more,
  });
  const noAnchor: Truth = { is: 'broken', kind: 'anchor', reason: 'anchor-missing' };
  const unchecked = (reason: string): Truth => ({ is: 'unchecked', reason });
  const good: Truth = { is: 'good' };
  const gone = broken('http-4xx', { status: 404 });
  return [
    { href: '/gone', truth: gone },
    { href: '/denied', truth: broken('http-4xx', { status: 403 }) },
    { href: '/error', truth: broken('http-5xx', { status: 500 }) },
    { href: '/reset', truth: broken('connection-reset') },
    { href: '/moved', truth: { is: 'redirected', to: at('own', '/p1') } },
    { href: '/moved-gone', truth: broken('http-4xx', { status: 404, via: [at('own', '/gone')] }) },
    { href: '/out', truth: broken('http-4xx', { status: 404, via: [at('other', '/gone-outside')] }) },
    {
      href: '/loop-1',
      truth: broken('redirect-loop', { status: 302, via: [at('own', '/loop-2'), at('own', '/loop-1')] }),
    },
    { href: '/nowhere', truth: broken('redirect-invalid', { status: 302 }) },
    { href: '/file.bin', truth: good },
    { href: '/closed/door', truth: unchecked('robots') },
    { href: '/logout', truth: unchecked('excluded') },
    { href: at('other', '/ok'), truth: good },
    { href: at('other', '/no-head'), truth: good },
    { href: at('other', '/gone-2'), truth: gone },
    { href: at('other', '/back'), truth: { is: 'redirected', to: at('own', '/landing') } },
    { href: at('other', '/closed/other'), truth: unchecked('robots') },
    { href: at('other', '/unwanted'), attributes: 'rel=nofollow', truth: unchecked('nofollow') },
    { href: at('other', '/ok#far'), truth: unchecked('anchor-unread') },
    { href: at('busy', '/'), truth: unchecked('http-429') },
    { href: at('127.0.0.9', '/inside'), truth: unchecked('private-address') },
    { href: `${secure}/`, truth: broken('host-dead') },
    { href: at('hangs', '/never'), truth: broken('timeout') },
    { href: at('127.0.0.5', '/'), truth: broken('host-dead') },
    { href: 'http://no-such-name.test/', truth: broken('dns-not-found') },
    {
      href: 'http://[broken',
      url: () => 'http://[broken',
      truth: { is: 'broken', kind: 'address', reason: 'invalid' },
    },
    { href: '/p1#here', truth: good },
    { href: '/p1#%C3%A9t%C3%A9', truth: good },
    { href: '/moved-2#here', truth: good },
    { href: '/p2#absent', truth: noAnchor },
    { href: '/moved-2#absent', truth: noAnchor },
    { href: '#old', truth: good },
    { href: '#missing', url: (page) => `${page}#missing`, truth: noAnchor },
    { href: '#top', truth: { is: 'plain' } },
    { href: '/p1#/state/of/a/script', truth: { is: 'plain' } },
    { href: 'mailto:someone@example.org', truth: { is: 'plain' } },
  ];
}

function pageHtml(page: number, planted: readonly Planted[]): string {
  const links = planted.map(({ href, attributes = '' }, target) => {
    const text = textOn(target, page);
    return text === undefined ? '' : `<p><a ${attributes} href="${href}">${text}</a></p>`;
  });
  const next = pages[page + 1];
  return `<!doctype html><title>${page}</title><h1 id=here>H</h1><h2 id="été">E</h2><a name=old></a>${links.join('\n')}
    ${next === undefined ? '' : `<a href="${next}">next</a>`}`;
}
