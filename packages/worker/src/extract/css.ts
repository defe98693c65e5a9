import { normalizeEncoding } from '@exodus/bytes/encoding.js';
import { decodeLargeText } from './charset.ts';
import { nextTurn } from './turns.ts';

export interface CssLink {
  /** As written, escapes undone, white space around it dropped. */
  href: string;
  /** `css:import`: another style sheet. `css`: an image, a font, whatever `url()` stands for. */
  rel: 'css' | 'css:import';
}

/** More references than any style sheet needs; what is beyond is not read. */
const maxLinks = 5_000;
const maxLength = 65_536;

// Character codes.
const quote = 34;
const apostrophe = 39;
const open = 40;
const close = 41;
const minus = 45;
const slash = 47;
const semicolon = 59;
const at = 64;
const backslash = 92;
const brace = 123;

/** Rules whose `url()` names a space or a pattern and not a thing to fetch. */
const namingRules = new Set(['namespace', 'document', '-moz-document']);
/** Functions in which a bare string is a URL. */
const setFunctions = new Set(['image-set', '-webkit-image-set']);

/**
 * What a style sheet, a `<style>` element or a `style` attribute needs: its `url()`s and `@import`s, each
 * once, in order. Cuts the text into tokens as the CSS standard does, in one pass that never goes back, so
 * it costs the same whatever the text holds. Never throws.
 */
export function readCss(css: string): CssLink[] {
  const reading = startReading(css);
  reading.readTo(css.length);
  return reading.links;
}

/** A place in a style sheet where a URL stands: the string with its quotes, or what is between the parentheses. */
export interface CssReference extends CssLink {
  start: number;
  end: number;
}

/** Every reference of a style sheet, also repeated ones, in order. */
export function cssReferences(css: string): CssReference[] {
  const found: CssReference[] = [];
  startCss(css, (reference) => found.push(reference))(css.length);
  return found;
}

/** What is read of a large sheet before others have their turn: a few milliseconds' work. */
const sliceLength = 262_144;

/** The links of a style sheet that was fetched, with turns for others where it is large. */
export async function readStyleSheet(body: Buffer, label: string | undefined): Promise<CssLink[]> {
  const css = await decodeLargeText(body, cssCharset(body, label));
  const reading = startReading(css);
  for (let to = sliceLength; !reading.readTo(to); to += sliceLength) await nextTurn();
  return reading.links;
}

interface CssReading {
  links: CssLink[];
  /** Goes on to the first token at or behind a position; true when there is nothing more to read. */
  readTo(position: number): boolean;
}

function startReading(css: string): CssReading {
  const links: CssLink[] = [];
  const known = new Set<string>();
  const scan = startCss(css, ({ href, rel }) => {
    if (known.has(href) || links.length >= maxLinks) return;
    known.add(href);
    links.push({ href, rel });
  });
  return { links, readTo: (position) => scan(position) || links.length >= maxLinks };
}

/** Goes on to the first token at or behind a position; true when there is nothing more to read. */
type CssScan = (position: number) => boolean;

function startCss(css: string, visit: (reference: CssReference) => void): CssScan {
  const { length } = css;
  let i = 0;
  /** Behind `@import`, before its URL. */
  let importing = false;
  /** Within a rule that only names things. */
  let naming = false;
  /** Names of the functions that are open, innermost last; an empty one for a bare parenthesis. */
  const functions: string[] = [];

  return (position) => {
    const end = Math.min(position, length);
    while (i < end) readToken(css.charCodeAt(i));
    return i >= length;
  };

  function readToken(c: number): void {
    if (c === slash && css.charCodeAt(i + 1) === 42) skipComment();
    else if (c === quote || c === apostrophe) {
      const start = i;
      const text = readString();
      const inSet = setFunctions.has(functions.at(-1) ?? '');
      if (importing || inSet) add(text, start, i);
    } else if (c === at) {
      i += 1;
      const name = readName().toLowerCase();
      importing = name === 'import';
      naming = namingRules.has(name);
    } else if (startsName(c)) readIdentifier();
    else {
      if (c === semicolon || c === brace) importing = naming = false;
      else if (c === open) enter('');
      else if (c === close) functions.pop();
      i += 1;
    }
  }

  function add(text: string | undefined, start: number, end: number): void {
    const href = text?.trim() ?? '';
    const rel = importing ? 'css:import' : 'css';
    importing = false;
    // A fragment is a place in this very page, a data: URL a thing in itself.
    if (naming || href === '' || href.startsWith('#') || href.length > maxLength || /^data:/i.test(href))
      return;
    visit({ href, rel, start, end });
  }

  function enter(name: string): void {
    if (functions.length < 100) functions.push(name);
  }

  function skipComment(): void {
    const end = css.indexOf('*/', i + 2);
    i = end < 0 ? length : end + 2;
  }

  function skipSpace(): void {
    while (i < length && isSpace(css.charCodeAt(i))) i += 1;
  }

  function isEscape(position: number): boolean {
    return escapesAt(css, position);
  }

  /** Behind the backslash: up to six hex digits and a space, or the character itself. */
  function readEscape(): string {
    i += 1;
    let digits = '';
    while (digits.length < 6 && isHex(css.charCodeAt(i))) {
      digits += css[i];
      i += 1;
    }
    if (digits === '') {
      const character = String.fromCodePoint(css.codePointAt(i) ?? 0xfffd);
      i += character.length;
      return character;
    }
    if (css.startsWith('\r\n', i)) i += 2;
    else if (isSpace(css.charCodeAt(i))) i += 1;
    const code = Number.parseInt(digits, 16);
    const usable = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return usable ? String.fromCodePoint(code) : '\ufffd';
  }

  /** A quoted string; undefined where a line end breaks it. */
  function readString(): string | undefined {
    const end = css.charCodeAt(i);
    i += 1;
    let text = '';
    let from = i;
    while (i < length) {
      const c = css.charCodeAt(i);
      if (c === end) {
        text += css.slice(from, i);
        i += 1;
        return text;
      }
      if (isNewline(c)) return undefined;
      if (c !== backslash) {
        i += 1;
        continue;
      }
      // Too long for a reference, so that its escapes are of no interest: a sheet may be one string of millions.
      if (text.length > maxLength) {
        i += css.startsWith('\r\n', i + 1) ? 3 : 2;
        continue;
      }
      text += css.slice(from, i);
      if (isEscape(i)) text += readEscape();
      // A line end behind a backslash is part of neither.
      else i += css.startsWith('\r\n', i + 1) ? 3 : 2;
      from = i;
    }
    return text + css.slice(from, length);
  }

  function startsName(c: number): boolean {
    return isNameCharacter(c) || c === minus || (c === backslash && isEscape(i));
  }

  function readName(): string {
    let name = '';
    let from = i;
    for (;;) {
      const c = css.charCodeAt(i);
      if (i < length && (isNameCharacter(c) || c === minus)) i += 1;
      else if (isEscape(i)) {
        name += css.slice(from, i) + readEscape();
        from = i;
      } else return name + css.slice(from, i);
    }
  }

  function readIdentifier(): void {
    const name = readName().toLowerCase();
    if (css.charCodeAt(i) !== open) return;
    i += 1;
    if (name !== 'url' && name !== 'src') return enter(name);
    skipSpace();
    const c = css.charCodeAt(i);
    const start = i;
    if (c === quote || c === apostrophe) {
      const text = readString();
      add(text, start, i);
      // Modifiers may follow; the parenthesis is closed like any other.
      enter(name);
    } else if (name === 'url') {
      const text = readBareUrl();
      add(text, start, css.charCodeAt(i - 1) === close ? i - 1 : i);
    } else enter(name);
  }

  /** An unquoted URL up to its parenthesis; undefined where something stands in it that must not. */
  function readBareUrl(): string | undefined {
    let text: string | undefined = '';
    let from = i;
    let ended = false;
    while (i < length) {
      const c = css.charCodeAt(i);
      if (c === close) {
        if (!ended && text !== undefined) text += css.slice(from, i);
        i += 1;
        return text;
      }
      if (isEscape(i)) {
        if (text !== undefined) text += css.slice(from, i);
        const character = readEscape();
        if (text !== undefined) text += character;
        from = i;
        if (ended) text = undefined;
        continue;
      }
      if (isSpace(c)) {
        if (!ended && text !== undefined) text += css.slice(from, i);
        ended = true;
      } else if (ended || c === quote || c === apostrophe || c === open || c === backslash || isControl(c)) {
        text = undefined;
      }
      i += 1;
    }
    return ended || text === undefined ? text : text + css.slice(from, length);
  }
}

/** An escape begins here and is not the end of a line. */
function escapesAt(css: string, position: number): boolean {
  return (
    css.charCodeAt(position) === backslash &&
    position + 1 < css.length &&
    !isNewline(css.charCodeAt(position + 1))
  );
}

function isNewline(c: number): boolean {
  return c === 10 || c === 12 || c === 13;
}

function isSpace(c: number): boolean {
  return c === 32 || c === 9 || isNewline(c);
}

function isControl(c: number): boolean {
  return c < 9 || c === 11 || (c >= 14 && c < 32) || c === 127;
}

function isHex(c: number): boolean {
  return (c >= 48 && c <= 57) || ((c | 32) >= 97 && (c | 32) <= 102);
}

/** Letters, digits, `_` and everything beyond ASCII. */
function isNameCharacter(c: number): boolean {
  const lower = c | 32;
  return (lower >= 97 && lower <= 122) || (c >= 48 && c <= 57) || c === 95 || c > 127;
}

/** The encoding of a style sheet: by its mark, the header, its `@charset`, and otherwise UTF-8. */
export function cssCharset(body: Buffer, label: string | undefined): string {
  return bomOf(body) ?? known(label) ?? known(charsetRule(body)) ?? 'utf-8';
}

function bomOf(body: Buffer): string | undefined {
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 'utf-8' : undefined;
}

/** It must be spelt exactly so, and what can be read byte by byte cannot be UTF-16. */
function charsetRule(body: Buffer): string | undefined {
  const label = /^@charset "([^"]{1,100})";/.exec(body.toString('latin1', 0, 128))?.[1];
  return label !== undefined && /^utf-16/i.test(label) ? 'utf-8' : label;
}

function known(label: string | undefined): string | undefined {
  return label === undefined ? undefined : (normalizeEncoding(label) ?? undefined);
}
