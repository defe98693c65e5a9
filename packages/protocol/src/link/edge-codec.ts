import type { Url } from '../base/brands.ts';
import type { Edge } from '../base/entry.ts';
import { originOf } from '../url/url.ts';

/**
 * The links of one page as bytes. The first says how; behind it stands text, one line for each link:
 *
 *     MARK END-OF-URL tab REL tab TEXT
 *
 * A link to the page's own origin is written without it. MARK says which of the two it is, and how many
 * characters its URL shares with the one before of the same kind, which are left out. REL is left out where
 * it is that of the line before; `!` before it means nofollow. What such lines cannot hold is kept as JSON.
 * They are not compressed yet: that takes less time, and less room, for many pages together.
 */
const asJson = 0;
export const asLines = 1;

/** Marks are printable, own ones below foreign ones. */
export const ownMark = 0x20;
export const foreignMark = 0x50;
const mostShared = 0x2e;

const slash = 0x2f;
const unfitText = /[\n\t]/;
const unfitRel = /^(?:!|$)|[\n\t]/;

const utf8 = new TextEncoder();
/** A byte order mark at the start of a link's text belongs to that text. */
const fromUtf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** `encode` turns text into UTF-8. Node's `Buffer.from` takes a fifth of the time that the portable encoder takes. */
export function packEdges(
  from: Url,
  edges: Edge[],
  encode: (text: string) => Uint8Array = (text) => utf8.encode(text),
): Uint8Array {
  const lines = linesOf(originOf(from), edges);
  return lines?.isWellFormed()
    ? encode(String.fromCharCode(asLines) + lines)
    : encode(String.fromCharCode(asJson) + JSON.stringify(edges));
}

function linesOf(origin: string, edges: Edge[]): string | undefined {
  const last = ['', ''];
  let lastRel = '';
  let lines = '';
  for (const { to, rel, nofollow, text } of edges) {
    const isOwn = to.startsWith(origin) && to.charCodeAt(origin.length) === slash;
    const short = isOwn ? to.slice(origin.length) : to;
    const shared = sharedStart(last[isOwn ? 0 : 1] as string, short);
    last[isOwn ? 0 : 1] = short;
    lines += String.fromCharCode((isOwn ? ownMark : foreignMark) + shared);
    lines += short.slice(shared);
    const kind = nofollow ? `!${rel}` : rel;
    if (kind === lastRel) lines += '\t\t';
    else {
      if (unfitRel.test(rel)) return undefined;
      lines += `\t${kind}\t`;
      lastRel = kind;
    }
    if (text !== undefined) {
      if (text === '' || unfitText.test(text)) return undefined;
      lines += text;
    }
    lines += '\n';
  }
  return lines;
}

function sharedStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length, mostShared);
  let n = 0;
  while (n < most && a.charCodeAt(n) === b.charCodeAt(n)) n++;
  return n;
}

export const newline = 0x0a;

/** Whether the bytes decode to this many links. Reads every byte once and builds no strings. */
export function areEdges(data: Uint8Array, length: number): boolean {
  if (data[0] === asJson) return isEdgeList(fromUtf8.decode(data.subarray(1)), length);
  if (data[0] !== asLines || data.at(-1) !== newline) return false;
  let lines = 0;
  for (let at = data.indexOf(newline); at >= 0; at = data.indexOf(newline, at + 1)) lines++;
  return lines === length;
}

function isEdgeList(text: string, length: number): boolean {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.length === length && list.every(isEdge);
  } catch {
    return false;
  }
}

function isEdge(value: unknown): boolean {
  const { to, rel, text = '' } = (value ?? {}) as Record<string, unknown>;
  return typeof to === 'string' && typeof rel === 'string' && typeof text === 'string';
}

export function unpackEdges(from: Url, data: Uint8Array): Edge[] {
  const text = fromUtf8.decode(data.subarray(1));
  return data[0] === asLines ? readLines(originOf(from), text) : (JSON.parse(text) as Edge[]);
}

function readLines(origin: string, text: string): Edge[] {
  const edges: Edge[] = [];
  let [own, foreign, rel, nofollow] = ['', '', '', false];
  for (let at = 0; at < text.length; ) {
    const urlEnd = text.indexOf('\t', at);
    const relEnd = text.indexOf('\t', urlEnd + 1);
    const end = text.indexOf('\n', relEnd);
    const mark = text.charCodeAt(at);
    const rest = text.slice(at + 1, urlEnd);
    let to: string;
    if (mark < foreignMark) {
      own = own.slice(0, mark - ownMark) + rest;
      to = origin + own;
    } else to = foreign = foreign.slice(0, mark - foreignMark) + rest;
    if (relEnd > urlEnd + 1) {
      nofollow = text[urlEnd + 1] === '!';
      rel = text.slice(nofollow ? urlEnd + 2 : urlEnd + 1, relEnd);
    }
    const edge: Edge = { to: to as Url, rel };
    if (nofollow) edge.nofollow = true;
    if (end > relEnd + 1) edge.text = text.slice(relEnd + 1, end);
    edges.push(edge);
    at = end + 1;
  }
  return edges;
}

/** The links of one page as a store keeps them; decoded where somebody asks for `edges`. */
export interface PageLinks {
  from: Url;
  packed: Uint8Array;
  readonly edges: Edge[];
}

export function pageLinks(from: Url, packed: Uint8Array): PageLinks {
  return {
    from,
    packed,
    get edges() {
      return unpackEdges(from, packed);
    },
  };
}
