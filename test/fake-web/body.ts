import { hash } from './hash.ts';
import type { Host } from './hosts.ts';
import { type LinkPlace, spellLink } from './link-text.ts';
import { type Charset, originFor, schemeOf, type WebBase } from './pages.ts';

const words =
  'river stone window market winter signal garden paper copper letter bridge morning engine harvest'.split(
    ' ',
  );

export interface PageText {
  base: WebBase;
  host: Host;
  path: string;
  title: string;
  /** Absolute URLs; spelled in many ways. */
  links: readonly string[];
  salt: number;
  /** Further HTML for the head, and for the end of the body. */
  head?: string;
  tail?: string;
  plain?: boolean;
  deepBase?: boolean;
}

/** A page as HTML text. Its requisites exist, but nobody who only follows links asks for them. */
export function pageHtml(page: PageText): string {
  const place: LinkPlace = {
    base: page.base,
    host: page.host,
    own: originFor(page.base, page.host, schemeOf(page.host)),
    path: page.path,
    salt: page.salt,
    plain: page.plain ?? false,
    deepBase: page.deepBase ?? false,
  };
  let html = `<!doctype html><html lang="en"><head><title>${escape(page.title)}</title>`;
  if (page.deepBase) html += '<base href="/deep/er/">';
  html += `<link rel="stylesheet" href="/style.css">${page.head ?? ''}</head><body><h1>${escape(page.title)}</h1>`;
  html += `<img src="/img/${page.salt % 10}.png" alt=""><p>${filler(page.base, page.host, page.salt)}</p><ul>`;
  page.links.forEach((url, n) => {
    html += anchor(spellLink(place, url, n), n);
  });
  return `${html}</ul>${page.tail ?? ''}</body></html>\n`;
}

/** Double, single or no quotes, upper or lower case: all of them are common. */
function anchor(href: string, n: number): string {
  const value = escape(href);
  if (n % 7 === 3) return `<li><A HREF='${value}'>link ${n}</A>`;
  if (n % 7 === 5 && /^[^\s"'=<>`?]+[^\s"'=<>`?/]$/.test(value)) return `<li><a href=${value}>link ${n}</a>`;
  return `<li><a class="l" href="${value}">link ${n}</a>`;
}

/** About 300 letters of text. */
export function filler(base: WebBase, host: Host, salt: number): string {
  let chance = hash(base.seed, host.index, salt, 60);
  let text = '';
  for (let n = 0; n < 6; n++) {
    text += sentences[chance & 63];
    chance = (chance >>> 5) | (chance << 27);
  }
  return text;
}

const sentences: readonly string[] = Array.from({ length: 64 }, (_, n) => {
  const chosen = Array.from({ length: 7 }, (__, m) => words[hash(n, m, 0, 61) % words.length]);
  return `${chosen.join(' ')}. `;
});

const special = /[&<>"']/;

/** Quotes too, because values stand in attributes. */
export function escape(text: string): string {
  if (!special.test(text)) return text;
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

/** The three charsets of the fake web, for the few letters it uses. */
export function encodeAs(text: string, charset: Charset): Buffer {
  if (charset === 'utf-16le') return Buffer.from(`\ufeff${text}`, 'utf16le');
  return charset === 'windows-1251' ? encodeCyrillic(text) : encodeJapanese(text);
}

function encodeCyrillic(text: string): Buffer {
  return Buffer.from(
    Array.from(text, (char) => {
      const code = char.charCodeAt(0);
      return code >= 0x410 && code <= 0x44f ? code - 0x410 + 0xc0 : code;
    }),
  );
}

const shiftJis = new Map([
  ['日', [0x93, 0xfa]],
  ['本', [0x96, 0x7b]],
  ['語', [0x8c, 0xea]],
]);

function encodeJapanese(text: string): Buffer {
  return Buffer.from(Array.from(text, (char) => shiftJis.get(char) ?? [char.charCodeAt(0)]).flat());
}
