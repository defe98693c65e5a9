import { addedPaths } from './epoch.ts';
import { type Host, twinIndex } from './hosts.ts';
import { type Answer, type Asked, html, htmlHead, notFound, redirect } from './reply.ts';
import { besideLeaf, leafAnswer } from './leaf-answer.ts';
import { dirLinks, homeLinks, indexLinks } from './links.ts';
import {
  dirsPerHub,
  indexCount,
  isServing,
  leafOf,
  originFor,
  publicLeaves,
  publicPaths,
  schemeOf,
  sitemapPaths,
  type WebBase,
} from './pages.ts';
import { robotsFile } from './robots-rules.ts';
import { sitemapAnswer } from './sitemaps.ts';
import { trapAnswer } from './traps.ts';

/** What the web answers: a pure function of the web and the question. */
export function answer(base: WebBase, asked: Asked): Answer {
  const { host } = asked;
  const path = withoutTracking(asked.path);
  if (host.class === 'to-www')
    return redirect(301, originFor(base, base.host(twinIndex(host)), 'http') + path);
  if (host.class === 'secure' && asked.scheme === 'http') {
    return redirect(301, originFor(base, host, 'https') + path);
  }
  if (path === '/robots.txt') return robotsAnswer(base, host);
  if (host.class === 'calendar-trap' || host.class === 'path-trap') {
    const trapped = trapAnswer(base, host, path);
    if (trapped !== undefined) return trapped;
  }
  return pageAnswer(base, asked, path) ?? notFound(path);
}

function pageAnswer(base: WebBase, asked: Asked, path: string): Answer | undefined {
  const { host } = asked;
  if (path === '/') return homeAnswer(base, host);
  const leaf = leafOf(base, host, path);
  if (leaf >= 0) {
    // Hosts that keep us out still have something to keep.
    return isServing(host) || leaf < publicLeaves ? leafAnswer(base, { ...asked, path }, leaf) : undefined;
  }
  if (!isServing(host)) return undefined;
  if (addedPaths(base, host).includes(path))
    return html({ base, host, path, title: `New: ${path}`, links: [], salt: 6_000_000 + path.length });
  const listed = listAnswer(base, host, path);
  if (listed !== undefined) return listed;
  if (sitemapPaths(host).includes(path)) return sitemapAnswer(base, host, path);
  return besideLeaf(base, host, path) ?? strayAnswer(base, host, path);
}

function homeAnswer(base: WebBase, host: Host): Answer {
  const links = isServing(host)
    ? homeLinks(base, host)
    : publicPaths(base, host).map((p) => originFor(base, host, 'http') + p);
  return html({ base, host, path: '/', title: `Home of ${host.name}`, links, salt: 1_000_000 });
}

function listAnswer(base: WebBase, host: Host, path: string): Answer | undefined {
  const match = /^\/(index|dir)\/(0|[1-9]\d{0,5})$/.exec(path);
  if (match === null) return undefined;
  const n = Number(match[2]);
  const isDir = match[1] === 'dir';
  if (isDir ? !host.hub || n >= dirsPerHub : n >= indexCount(host)) return undefined;
  const links = isDir ? dirLinks(base, host, n) : indexLinks(base, host, n);
  return html({ base, host, path, title: `${match[1]} ${n} of ${host.name}`, links, salt: 2_000_000 + n });
}

/** Pages that exist although no link may be followed to them, and the requisites of all pages. */
function strayAnswer(base: WebBase, host: Host, path: string): Answer | undefined {
  if (path === '/style.css')
    return { status: 200, head: 'Content-Type: text/css\r\n', body: Buffer.from('p{}') };
  if (path.startsWith('/img/')) return { status: 200, head: 'Content-Type: image/png\r\n', body: onePixel };
  if (
    path.startsWith('/unseen/') ||
    path.startsWith('/never/') ||
    path.startsWith('/search') ||
    path.startsWith('/list')
  ) {
    return html({ base, host, path, title: `Not for you: ${path}`, links: [], salt: 3_000_000 });
  }
  return undefined;
}

function robotsAnswer(base: WebBase, host: Host): Answer {
  if (host.robots === 'broken-500')
    return { status: 500, head: 'Content-Type: text/plain\r\n', body: Buffer.from('broken') };
  if (host.robots === 'forbidden-403') return { status: 403, head: htmlHead, body: Buffer.from('<p>no') };
  const origin = originFor(base, host, schemeOf(host));
  const file = robotsFile(host, origin + (sitemapPaths(host)[0] ?? ''));
  if (file === undefined) return notFound('/robots.txt');
  return {
    status: 200,
    head: 'Content-Type: text/plain\r\n',
    body: Buffer.from(`${file.lines.join('\n')}\n`),
  };
}

/** Servers ignore session ids and campaign parameters; a crawler that keeps them gets the same page again. */
export function withoutTracking(path: string): string {
  if (!/phpsessid|jsessionid|[?&]sid=|utm_/i.test(path)) return path;
  const bare = path.replace(/;jsessionid=[^/?]*/i, '');
  const query = bare.indexOf('?');
  if (query < 0) return bare;
  const kept = bare
    .slice(query + 1)
    .split('&')
    .filter((part) => !/^(?:phpsessid|jsessionid|sid|utm_[a-z]+)=/i.test(part));
  return bare.slice(0, query) + (kept.length > 0 ? `?${kept.join('&')}` : '');
}

const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
);
