/**
 * A tokenizer for HTML that only looks at what can hold a link: tags, their attributes and the text between
 * them, as the HTML standard delimits them. It jumps from `<` to `<` and keeps no stack and no copies, so it
 * runs several times faster than a parser and costs the same however deep a page is nested.
 */
export interface ScanHandler {
  /** A start tag begins; `name` is in lower case. True when its attributes are wanted. */
  open(name: string): boolean;
  /** One attribute of a wanted tag; the value as written, references not decoded. */
  attribute(name: string, start: number, end: number): void;
  /** The start tag is complete. A tag that is cut off by the end of the page never gets here. */
  opened(selfClosing: boolean): void;
  close(name: string): void;
  /** Text of the page, of a title or of a textarea; never of scripts and the like. */
  text(start: number, end: number): void;
  /** The content of an element of raw text that is no text of the page, a style sheet for example. */
  raw(name: string, start: number, end: number): void;
  /** Inside SVG or MathML, where CDATA is text and no element holds raw text. */
  isForeign(): boolean;
}

/** Elements whose content is not markup: true where it still is text to be read. */
const rawText = new Map([
  ['title', true],
  ['textarea', true],
  ['script', false],
  ['style', false],
  ['iframe', false],
  ['noembed', false],
  ['noframes', false],
  ['xmp', false],
  ['plaintext', false],
]);

// Character codes.
const tab = 9;
const verticalTab = 11;
const carriageReturn = 13;
const space = 32;
const exclamation = 33;
const quote = 34;
const apostrophe = 39;
const slash = 47;
const equals = 61;
const greater = 62;
const question = 63;

function isSpace(c: number): boolean {
  return c === space || (c <= carriageReturn && c >= tab && c !== verticalTab);
}

function isLetter(c: number): boolean {
  const lower = c | 32;
  return lower >= 97 && lower <= 122;
}

/** Names of up to six letters, five bits each: nearly all there are. The first few hundred met are kept. */
// allow(state): names of elements by their bytes, bounded, the same for every page
const names = new Map<number, string>();
const maxNames = 500;
const maxLetters = 6;

/** The name of a tag or attribute in lower case, mostly without making a string for it. */
function nameAt(html: string, start: number, end: number): string {
  let key = end - start > maxLetters ? -1 : 0;
  for (let i = start; i < end && key >= 0; i += 1) {
    const letter = (html.charCodeAt(i) | 32) - 96;
    key = letter >= 1 && letter <= 26 ? key * 32 + letter : -1;
  }
  const known = names.get(key);
  if (known !== undefined) return known;
  const name = html.slice(start, end).toLowerCase();
  if (key > 0 && names.size < maxNames) names.set(key, name);
  return name;
}

/** Of a tag, that are looked at: a tag is read in one go, and nobody writes more by hand. */
const maxAttributes = 1_000;

export interface ScanOptions {
  /** XHTML: an element that closes itself has no content. */
  xml: boolean;
}

/** Walks over a page from start to end. */
export function scanHtml(html: string, handler: ScanHandler, options: ScanOptions): void {
  startScan(html, handler, options)(html.length + 1);
}

/** A walk that can be made in pieces: each call goes on to the first tag at or behind a position. */
export type Scan = (until: number) => boolean;

/** Begins a walk over a page. It is over when a call of what this gives answers true. */
export function startScan(html: string, handler: ScanHandler, options: ScanOptions): Scan {
  const { length } = html;
  let textStart = 0;
  /** Where the last unquoted attribute value ended. */
  let valueEnd = 0;
  let from = 0;
  return (until) => {
    while (from < until) {
      const at = html.indexOf('<', from);
      if (at < 0 || at + 1 >= length) break;
      const c = html.charCodeAt(at + 1);
      let next: number;
      if (isLetter(c)) {
        flush(at);
        next = startTag(at + 1);
      } else if (c === slash && at + 2 < length) {
        flush(at);
        next = endTag(at + 2);
      } else if (c === exclamation) {
        flush(at);
        next = declaration(at + 2);
      } else if (c === question) {
        flush(at);
        next = afterSign(at + 1);
      } else {
        // A lone < is text.
        from = at + 1;
        continue;
      }
      textStart = from = next;
      if (next >= length) break;
    }
    if (from >= until) return false;
    flush(length);
    return true;
  };

  function flush(end: number): void {
    if (end > textStart) handler.text(textStart, end);
    textStart = length;
  }

  function afterSign(position: number): number {
    const end = html.indexOf('>', position);
    return end < 0 ? length : end + 1;
  }

  function declaration(position: number): number {
    if (html.startsWith('--', position)) return afterComment(html, position + 2);
    if (handler.isForeign() && html.startsWith('[CDATA[', position)) {
      const end = html.indexOf(']]>', position + 7);
      const stop = end < 0 ? length : end;
      if (stop > position + 7) handler.text(position + 7, stop);
      return end < 0 ? length : end + 3;
    }
    return afterSign(position);
  }

  function nameEnd(position: number): number {
    let i = position;
    for (; i < length; i += 1) {
      const c = html.charCodeAt(i);
      if (c === greater || c === slash || isSpace(c)) break;
    }
    return i;
  }

  function endTag(position: number): number {
    const c = html.charCodeAt(position);
    if (c === greater) return position + 1;
    if (!isLetter(c)) return afterSign(position);
    const end = nameEnd(position);
    const after = attributes(end, false);
    if (after !== 0) handler.close(nameAt(html, position, end));
    return after === 0 ? length : Math.abs(after);
  }

  function startTag(position: number): number {
    const end = nameEnd(position);
    const name = nameAt(html, position, end);
    const wanted = handler.open(name);
    const after = attributes(end, wanted);
    if (after === 0) return length;
    const selfClosing = after < 0;
    const foreign = handler.isForeign();
    handler.opened(selfClosing);
    const isText = rawText.get(name);
    if (isText === undefined || foreign || (options.xml && selfClosing)) return Math.abs(after);
    return rawContent(name, Math.abs(after), isText);
  }

  /** Position behind the tag's `>`, negative when it closes itself, 0 when the page ends before. */
  function attributes(position: number, wanted: boolean): number {
    let i = position;
    let count = 0;
    while (i < length) {
      const c = html.charCodeAt(i);
      // The slash may be the end of an unquoted value: `<a href=/x/>`.
      if (c === greater) return html.charCodeAt(i - 1) === slash && valueEnd !== i ? -(i + 1) : i + 1;
      if (c === slash || isSpace(c)) i += 1;
      else i = attribute(i, wanted && ++count <= maxAttributes);
    }
    return 0;
  }

  function attribute(position: number, wanted: boolean): number {
    let i = position + 1;
    for (; i < length; i += 1) {
      const c = html.charCodeAt(i);
      if (c === equals || c === greater || c === slash || isSpace(c)) break;
    }
    const nameStop = i;
    while (i < length && isSpace(html.charCodeAt(i))) i += 1;
    if (html.charCodeAt(i) !== equals) {
      if (wanted) handler.attribute(nameAt(html, position, nameStop), nameStop, nameStop);
      return i;
    }
    i += 1;
    while (i < length && isSpace(html.charCodeAt(i))) i += 1;
    const c = html.charCodeAt(i);
    let start = i;
    let end: number;
    let next: number;
    if (c === quote || c === apostrophe) {
      start = i + 1;
      end = html.indexOf(c === quote ? '"' : "'", start);
      if (end < 0) return length;
      next = end + 1;
    } else {
      for (; i < length; i += 1) {
        const v = html.charCodeAt(i);
        if (v === greater || isSpace(v)) break;
      }
      end = next = i;
      valueEnd = i;
    }
    if (wanted) handler.attribute(nameAt(html, position, nameStop), start, end);
    return next;
  }

  function rawContent(name: string, position: number, isText: boolean): number {
    if (name === 'plaintext') return length;
    const end = name === 'script' ? scriptEnd(html, position) : rawEnd(html, name, position);
    const stop = end < 0 ? length : end;
    if (stop > position) {
      if (isText) handler.text(position, stop);
      else handler.raw(name, position, stop);
    }
    return stop;
  }
}

/** A comment ends with `-->`, `--!>` or the page; `<!-->` and `<!--->` are empty ones. */
function afterComment(html: string, position: number): number {
  if (html.startsWith('>', position)) return position + 1;
  if (html.startsWith('->', position)) return position + 2;
  for (let at = html.indexOf('--', position); at >= 0; at = html.indexOf('--', at + 1)) {
    if (html.charCodeAt(at + 2) === greater) return at + 3;
    if (html.startsWith('!>', at + 2)) return at + 4;
  }
  return html.length;
}

/** Where `</name` begins that ends an element of raw text; -1 when nothing does. */
function rawEnd(html: string, name: string, position: number): number {
  for (let at = html.indexOf('</', position); at >= 0; at = html.indexOf('</', at + 2)) {
    if (isNameAt(html, at + 2, name)) return at;
  }
  return -1;
}

function isNameAt(html: string, position: number, name: string): boolean {
  const after = html.charCodeAt(position + name.length);
  if (after !== greater && after !== slash && !isSpace(after)) return false;
  return html.slice(position, position + name.length).toLowerCase() === name;
}

const scriptMarks = /<!--|-->|<\/?script(?=[\s/>])/gi;

/** Within `<!--` in a script, `<script>` and `</script>` pair up and end nothing. */
function scriptEnd(html: string, position: number): number {
  const plain = rawEnd(html, 'script', position);
  // No further than to the end: a page of many scripts and no comment would be read once for each of them.
  const comment = html.slice(position, plain < 0 ? html.length : plain).indexOf('<!--');
  if (comment < 0) return plain;
  let state: 'data' | 'escaped' | 'double' = 'data';
  scriptMarks.lastIndex = position + comment;
  for (let mark = scriptMarks.exec(html); mark; mark = scriptMarks.exec(html)) {
    const text = mark[0].toLowerCase();
    if (text === '<!--') {
      if (state === 'data') state = 'escaped';
      // Its dashes may be those of `-->` as well.
      scriptMarks.lastIndex -= 2;
    } else if (text === '-->') state = 'data';
    else if (text === '<script') state = state === 'escaped' ? 'double' : state;
    else if (state === 'double') state = 'escaped';
    else return mark.index;
  }
  return -1;
}
