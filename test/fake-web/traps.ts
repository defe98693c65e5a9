import { type Answer, html } from './reply.ts';
import type { Host } from './hosts.ts';
import { originFor, publicUrls, type WebBase } from './pages.ts';

/** Spaces without end: only a budget stops them. */
export function isTrapHost(host: Host): boolean {
  return host.class === 'calendar-trap' || host.class === 'path-trap';
}

export function trapAnswer(base: WebBase, host: Host, path: string): Answer | undefined {
  const links = host.class === 'calendar-trap' ? calendarLinks(path) : spiralLinks(path);
  if (links === undefined) return undefined;
  const own = originFor(base, host, 'http');
  const shown = path === '/' ? publicUrls(base, host) : [];
  return html({
    base,
    host,
    path,
    title: `${host.name}${path}`,
    links: [...links.map((link) => own + link), ...shown],
    salt: 5_000_000 + path.length,
  });
}

/** Every month has the next month and its days; there is no last month. */
function calendarLinks(path: string): string[] | undefined {
  if (path === '/') return ['/cal/2026/11/'];
  const match = /^\/cal\/(\d{4,6})\/(\d{1,2})\/(?:(\d{1,2}))?$/.exec(path);
  if (match === null) return undefined;
  const year = Number(match[1]);
  const month = Number(match[2]);
  const next = month === 12 ? `/cal/${year + 1}/1/` : `/cal/${year}/${month + 1}/`;
  if (match[3] !== undefined) return [`/cal/${year}/${month}/`, next];
  return [next, ...Array.from({ length: 5 }, (_, day) => `/cal/${year}/${month}/${day + 1}`)];
}

/** A relative link that forgot its slash: every page has one a folder deeper. */
function spiralLinks(path: string): string[] | undefined {
  if (path === '/') return ['/shop/'];
  return /^\/(?:shop\/)+$/.test(path) ? [`${path}shop/`] : undefined;
}
