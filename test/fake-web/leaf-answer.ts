import { type Answer, type Asked, compressed, html, htmlHead, notFound, redirect } from './reply.ts';
import { encodeAs, escape, filler, pageHtml } from './body.ts';
import { isRemoved, revisionOf } from './epoch.ts';
import { hash } from './hash.ts';
import type { Host } from './hosts.ts';
import { awayLink, leafLinks } from './links.ts';
import {
  chainHops,
  charsetChild,
  charsetOf,
  fileKindOf,
  leafKind,
  leafPath,
  missingStatus,
  originFor,
  plainLeaf,
  redirectStatus,
  schemeOf,
  type WebBase,
} from './pages.ts';

export const retryAfterSeconds = 1;

export function leafAnswer(base: WebBase, asked: Asked, leaf: number): Answer {
  const { host, path } = asked;
  const kind = leafKind(base, host, leaf);
  if (isRemoved(base, host, leaf)) return notFound(path);
  switch (kind) {
    case 'plain':
    case 'hidden':
      return page(base, host, leaf, path);
    case 'redirect':
      return redirect(
        redirectStatus(base, host, leaf),
        leafPath(base, host, plainLeaf(base, host, 10, leaf)),
      );
    case 'redirect-away':
      return redirect(redirectStatus(base, host, leaf), awayLink(base, host, leaf, 11));
    case 'redirect-chain':
      return redirect(302, `/r/${leaf}/${chainHops(base, host, leaf)}`);
    case 'redirect-loop':
      return redirect(301, `/loop/${leaf}`);
    case 'missing':
      return notFound(path, missingStatus(base, host, leaf));
    case 'flaky':
      return asked.before() === 0 ? trouble(500) : page(base, host, leaf, path);
    case 'broken':
      return trouble(500);
    case 'retry-429':
      return asked.before() === 0 ? trouble(429, retryAfterSeconds) : page(base, host, leaf, path);
    case 'retry-503':
      return asked.before() === 0 ? trouble(503, retryAfterSeconds) : page(base, host, leaf, path);
    case 'slow':
      return { ...page(base, host, leaf, path), delayMs: slowMs(base, host, leaf) };
    case 'huge':
      return { ...page(base, host, leaf, path), padTo: base.hugeBytes };
    case 'twin-body':
      return html({
        base,
        host,
        path: '/',
        title: 'The same everywhere',
        links: leafLinks(base, host, 0),
        salt: 0,
        plain: true,
      });
    case 'charset':
      return charsetPage(base, host, leaf, path);
    case 'file':
      return file(base, host, leaf);
    case 'nofollow-link':
    case 'nofollow-page':
      return nofollow(base, host, leaf, path);
    case 'base':
      return html({ ...text(base, host, leaf, path), deepBase: true });
    case 'gzip':
      return compressed(page(base, host, leaf, path), asked.acceptEncoding);
    case 'chunked':
      return { ...page(base, host, leaf, path), chunked: true };
  }
}

export function slowMs(base: WebBase, host: Host, leaf: number): number {
  return 200 + (hash(base.seed, host.index, leaf, 12) % 200);
}

function text(base: WebBase, host: Host, leaf: number, path: string) {
  return {
    base,
    host,
    path,
    title: `Page ${leaf} of ${host.name}`,
    links: leafLinks(base, host, leaf),
    salt: leaf,
  };
}

function page(base: WebBase, host: Host, leaf: number, path: string): Answer {
  return html(text(base, host, leaf, path));
}

function trouble(status: number, retryAfter?: number): Answer {
  const later = retryAfter === undefined ? '' : `Retry-After: ${retryAfter}\r\n`;
  return { status, head: `${htmlHead}${later}`, body: Buffer.from('<h1>Trouble</h1>') };
}

/** Half of them say their charset in the header, half in the page; the one with a mark at its start says nothing. */
function charsetPage(base: WebBase, host: Host, leaf: number, path: string): Answer {
  const charset = charsetOf(base, host, leaf);
  const child = charsetChild(charset, leaf);
  const inHeader = leaf % 2 === 0 && charset !== 'utf-16le';
  const source = pageHtml({
    ...text(base, host, leaf, path),
    plain: true,
    head: inHeader || charset === 'utf-16le' ? '' : `<meta charset="${charset}">`,
    tail: `<p><a href="${child.raw}">${child.raw.split('/')[1]}</a>`,
  });
  const head = inHeader ? `Content-Type: text/html; charset=${charset}\r\n` : 'Content-Type: text/html\r\n';
  return { status: 200, head, body: encodeAs(source, charset) };
}

/** The first half asks not to follow one link, the other the whole page, by meta tag or by header. */
function nofollow(base: WebBase, host: Host, leaf: number, path: string): Answer {
  const unseen = `<a href="/unseen/${leaf}" REL_>not this one</a>`;
  if (leafKind(base, host, leaf) === 'nofollow-link') {
    return html({ ...text(base, host, leaf, path), tail: unseen.replace('REL_', 'rel="external nofollow"') });
  }
  const byMeta = leaf % 2 === 0;
  const found = html({
    ...text(base, host, leaf, path),
    head: byMeta ? '<meta name="robots" content="noindex, nofollow">' : '',
    tail: unseen.replace(' REL_', ''),
  });
  return byMeta ? found : { ...found, head: `${found.head}X-Robots-Tag: nofollow\r\n` };
}

function file(base: WebBase, host: Host, leaf: number): Answer {
  const { mime, extension } = fileKindOf(base, host, leaf);
  const content = `${extension} ${leaf} of ${host.name}\n${filler(base, host, leaf)}`;
  const start = extension === 'pdf' ? '%PDF-1.4\n' : '';
  const revision = revisionOf(base, host, leaf);
  const modified = `Last-Modified: Sun, 0${1 + revision} Nov 2026 08:00:00 GMT\r\n`;
  return {
    status: 200,
    head: `Content-Type: ${mime}\r\n${modified}Content-Disposition: inline; filename="${leaf}.${extension}"\r\n`,
    body: Buffer.from(start + content + (revision === 0 ? '' : `revision ${revision}\n`)),
  };
}

/** Pages behind a leaf: hops of a chain, the other end of a loop, what a charset hides. */
export function besideLeaf(base: WebBase, host: Host, path: string): Answer | undefined {
  const chain = /^\/r\/(\d{1,6})\/([1-9])$/.exec(path);
  if (chain !== null) {
    const leaf = Number(chain[1]);
    const hop = Number(chain[2]);
    if (!isKind(base, host, leaf, 'redirect-chain') || hop > chainHops(base, host, leaf)) return undefined;
    const own = originFor(base, host, schemeOf(host));
    return redirect(
      302,
      hop > 1 ? `${hop - 1}` : own + leafPath(base, host, plainLeaf(base, host, 10, leaf)),
    );
  }
  const loop = /^\/loop\/(\d{1,6})$/.exec(path);
  if (loop !== null) {
    const leaf = Number(loop[1]);
    return isKind(base, host, leaf, 'redirect-loop') ? redirect(307, leafPath(base, host, leaf)) : undefined;
  }
  const child = /^\/%[^/]*\/(\d{1,6})$|^\/[^/]*%[^/]*\/(\d{1,6})$/.exec(path);
  const leaf = child === null ? -1 : Number(child[1] ?? child[2]);
  if (leaf < 0 || !isKind(base, host, leaf, 'charset')) return undefined;
  if (charsetChild(charsetOf(base, host, leaf), leaf).path !== path) return undefined;
  return html({
    base,
    host,
    path,
    title: `Beside ${leaf}`,
    links: [],
    salt: 4_000_000 + leaf,
    tail: escape('found'),
  });
}

function isKind(base: WebBase, host: Host, leaf: number, kind: string): boolean {
  return leaf < host.leaves && leafKind(base, host, leaf) === kind;
}
