import type { Url } from '../base/brands.ts';
import type { Edge } from '../base/entry.ts';
import { originOf } from '../url/url.ts';
import { asLines, foreignMark, newline, ownMark, unpackEdges } from './edge-codec.ts';

const tab = 0x09;
const utf8 = new TextDecoder();

/** A URL as character codes, in a buffer that serves again for later links of its kind. */
export interface LinkUrl {
  codes: Uint16Array;
  length: number;
  /** Codes from the start that are those of the link of this kind before. */
  shared: number;
}

/**
 * Goes through packed links one by one without making an object or a string for each: a crawl has a hundred links for
 * each of its pages, and those who count them look at most of them only once.
 */
export class LinkReader {
  /** Where the current link leads: one of two objects, for links to the page's own origin and for others. */
  url: LinkUrl;
  rel = '';
  readonly #own: LinkUrl = { codes: new Uint16Array(256), length: 0, shared: 0 };
  readonly #foreign: LinkUrl = { codes: new Uint16Array(256), length: 0, shared: 0 };
  #data: Uint8Array = new Uint8Array(0);
  #at = 0;
  #originLength = 0;
  /** Read as a whole where bytes do not say enough: JSON, and URLs that are not ASCII. */
  #edges: Edge[] | undefined;
  #from = '' as Url;
  #count = 0;

  constructor() {
    this.url = this.#own;
  }

  /** Whether the current link leads to the page's own origin, as far as the packed form tells. */
  get isOwn(): boolean {
    return this.url === this.#own;
  }

  open(from: Url, data: Uint8Array): void {
    const origin = originOf(from);
    this.#from = from;
    this.#data = data;
    this.#at = 1;
    this.#count = 0;
    this.rel = '';
    this.#edges = data[0] === asLines ? undefined : unpackEdges(from, data);
    this.#originLength = origin.length;
    fill(this.#own, origin);
    fill(this.#foreign, '');
  }

  /** Moves to the next link; false: there is none. */
  next(): boolean {
    if (this.#edges) return this.#nextOf(this.#edges);
    const data = this.#data;
    let at = this.#at;
    if (at >= data.length) return false;
    const mark = data[at++] as number;
    const isOwn = mark < foreignMark;
    const url = isOwn ? this.#own : this.#foreign;
    const shared = isOwn ? this.#originLength + mark - ownMark : mark - foreignMark;
    let length = shared;
    for (let code = data[at] as number; code !== tab; code = data[++at] as number) {
      if (code > 0x7f) return this.#nextOf((this.#edges = unpackEdges(this.#from, data)));
      if (length === url.codes.length) url.codes = grown(url.codes);
      url.codes[length++] = code;
    }
    this.url = url;
    url.shared = shared;
    url.length = length;
    const relStart = ++at;
    while (data[at] !== tab) at++;
    if (at > relStart) this.rel = relIn(data, relStart, at);
    while (data[at] !== newline) at++;
    this.#at = at + 1;
    this.#count++;
    return true;
  }

  #nextOf(edges: readonly Edge[]): boolean {
    const edge = edges[this.#count++];
    if (!edge) return false;
    this.url = this.#foreign;
    fill(this.url, edge.to);
    this.rel = edge.rel;
    return true;
  }

  /** The URL of the current link. */
  text(): Url {
    return textOf(this.url, this.url.length) as Url;
  }
}

function grown(codes: Uint16Array): Uint16Array {
  const larger = new Uint16Array(codes.length * 2);
  larger.set(codes);
  return larger;
}

function fill(url: LinkUrl, text: string): void {
  while (url.codes.length < text.length) url.codes = grown(url.codes);
  for (let i = 0; i < text.length; i++) url.codes[i] = text.charCodeAt(i);
  url.length = text.length;
  url.shared = 0;
}

/** Without the mark of nofollow. */
function relIn(data: Uint8Array, start: number, end: number): string {
  const text = utf8.decode(data.subarray(start, end));
  return text.startsWith('!') ? text.slice(1) : text;
}

/** The first codes of a URL as text. */
export function textOf({ codes }: LinkUrl, length: number): string {
  let text = '';
  for (let at = 0; at < length; at++) text += String.fromCharCode(codes[at] as number);
  return text;
}
