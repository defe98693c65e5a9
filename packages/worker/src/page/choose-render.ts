import type { Entry, Url } from '@webfarer/protocol';
import { hostOf, pathOf, targetOf } from '@webfarer/protocol/url';
import type { HandlingContext } from '../context/context.ts';
import type { PageGain, PageKind, RenderChoice, RenderDecision } from '../context/render-choice.ts';
import { decodeBody } from '../bytes/decode.ts';
import type { FetchedPage, RenderedPage } from '../fetch/fetch.ts';
import { encodingsOf } from '../bytes/headers.ts';
import { toText } from '../markdown/to-text.ts';
import { mainThread } from '../shares/main-thread.ts';
import { readTree } from '../tree/tree.ts';
import { type Document, readDocument } from './document.ts';

/** A page as it came, and of what kind it is. */
export interface PlainPage {
  document: Document;
  kind: PageKind;
  decision: RenderDecision;
}

/** Reads a page as it came and decides. Undefined: it cannot be read, so there is nothing to show. */
export async function choose(
  context: HandlingContext & { choice: RenderChoice },
  entry: Entry,
  page: FetchedPage,
): Promise<PlainPage | undefined> {
  const limits = { maxBytes: context.job.fetch.maxBodyBytes };
  const decoded = await decodeBody(page.body, encodingsOf(page), limits);
  if (!decoded.ok) return undefined;
  try {
    const document = read(context, entry, page.headers, decoded.body);
    const kind = kindOf(targetOf(entry.url), document);
    return { document, kind, decision: context.choice.decide(kind) };
  } finally {
    decoded.free?.();
  }
}

/** What a browser brought on a page decides about others of its kind. */
export function learnFrom(
  context: HandlingContext & { choice: RenderChoice },
  entry: Entry,
  { document: before, kind }: PlainPage,
  { own, movedTo }: RenderedPage,
): void {
  const after = read(context, entry, [['Content-Type', 'text/html; charset=utf-8']], Buffer.from(own));
  const known = linesOf(before);
  const ownText = [...known].reduce((sum, line) => sum + line.length, 0);
  const gain: PageGain = {
    moved: movedTo !== undefined,
    links: newLinks(hostOf(targetOf(entry.url)), before, after),
    lines: [...linesOf(after)].filter((line) => !known.has(line)),
    ownText,
  };
  context.choice.learn(kind, gain);
}

/** Links to other hosts go by the host: an advertisement has another address every time. */
function newLinks(host: string, before: Document, after: Document): string[] {
  const known = new Set(before.links.map(({ url }) => url));
  const added = after.links.filter(({ url }) => !known.has(url));
  return [...new Set(added.map(({ url }) => (hostOf(url as Url) === host ? url : hostOf(url as Url))))];
}

/** As people read them, without numbers. */
function linesOf({ text }: Document): Set<string> {
  const lines = toText(readTree(text(), { xml: false }).children).split('\n');
  return new Set(lines.map((line) => line.replaceAll(/\d+/g, '0').trim()).filter(Boolean));
}

function read(
  { account, normalise, agentToken }: HandlingContext,
  entry: Entry,
  headers: [string, string][],
  body: Buffer,
): Document {
  const url = targetOf(entry.url);
  return mainThread.run({ account, url, stage: 'read' }, () =>
    readDocument({ url, headers, body, normalise, agentToken }),
  );
}

/**
 * Pages of a host that run the same scripts and leave the same places for them to fill are of one template. Numbers in the
 * names of scripts change with every release.
 */
function kindOf(url: Url, { edges, scripts: count, text }: Document): PageKind {
  const folder = folderOf(pathOf(url));
  if (count === 0) return { hasScripts: false, template: '', folder };
  const scripts = edges.filter(({ rel }) => rel === 'script').map(({ to }) => plainName(to));
  const parts = [...scripts, ...inlineNames(text()), ...placesIn(text())];
  const template = [hostOf(url), ...new Set(parts.toSorted())].join(' ');
  return { hasScripts: true, template, folder };
}

/** A page that ends in a slash has a name like any other. */
function folderOf(path: string): string {
  const [name = ''] = path.split('?', 1);
  return name.replace(/[^/]*\/?$/, '').replaceAll(/\d+/g, '0');
}

function plainName(url: string): string {
  return (url.split('?', 1)[0] ?? url).replaceAll(/[\da-f]{8,}|\d+/g, '0');
}

/** Of what a page could be known by; with more it is known anyway. */
const mostParts = 20;
/** Of the beginning of a script in the page. */
const scriptLength = 400;
const inlineScript = /<script(?![^>]*\bsrc\b)[^>]*>/gi;

/** What scripts in the page set and call at their beginning; their data differs from page to page. */
function inlineNames(html: string): string[] {
  const names = new Set<string>();
  // allow(expression): a copy of a literal, with a place of its own
  const next = new RegExp(inlineScript);
  for (let found = next.exec(html); found && names.size < mostParts; found = next.exec(html)) {
    const from = next.lastIndex;
    const close = html.indexOf('</script', from);
    const end = close < 0 ? html.length : close;
    next.lastIndex = end;
    const code = html.slice(from, Math.min(end, from + scriptLength));
    const plain = code.replaceAll(/"[^"\n]*"?|'[^'\n]*'?|`[^`]*`?/g, '');
    for (const [name] of plain.matchAll(/[\w$]{2,40}(?=\s{0,2}[=(])/g))
      if (names.size < mostParts) names.add(name.replaceAll(/\d+/g, '0'));
  }
  return [...names];
}

/** Elements with a name and nothing in them, as scripts fill them. */
const emptyPlace = /<([a-z][a-z0-9-]{0,40})((?:\s[^<>]{0,400})?)>\s{0,80}<\/\1>/gi;

function placesIn(html: string): string[] {
  const places = new Set<string>();
  for (const [, name = '', attributes = ''] of html.matchAll(emptyPlace)) {
    if (places.size >= mostParts) break;
    if (/^(?:script|style|iframe|i|td|th|a|textarea|option|svg|path)$/i.test(name)) continue;
    const id = /\sid=["']?([\w-]{1,60})/i.exec(attributes)?.[1];
    if (id !== undefined || name.includes('-')) places.add(`<${name}#${(id ?? '').replaceAll(/\d+/g, '0')}>`);
  }
  return [...places];
}
