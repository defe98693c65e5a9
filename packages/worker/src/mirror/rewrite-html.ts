import { linkTable } from '@webfarer/protocol/url';
import { decodeAttribute } from '../extract/entities.ts';
import { createForeignTracker } from '../extract/foreign-content.ts';
import { type ScanHandler, scanHtml } from '../extract/html-scanner.ts';
import { refreshTarget } from '../extract/refresh.ts';
import { srcsetPlaces } from '../extract/srcset.ts';
import { applyEdits, type Edit, type Redirected } from './edits.ts';
import { rewriteCss } from './rewrite-css.ts';

export interface RewriteHtmlOptions {
  /** What relative references are relative to, unless the page has a `<base>`. */
  url: string;
  xml: boolean;
  /** The page as its scripts left it: they do not run again. */
  shown: boolean;
  redirected: Redirected;
  /** What a `<base href>` makes of the address of the page; undefined where it is none. */
  resolveBase: (href: string, url: string) => string | undefined;
}

interface Attribute {
  name: string;
  /** Of the value, without its quotes. */
  start: number;
  end: number;
}

interface Tag {
  name: string;
  attributes: Attribute[];
}

/** Attributes with a URL beside those that lead to a page or a requisite. */
const moreAddresses: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['html', new Set(['manifest'])],
  ['input', new Set(['formaction'])],
  ['img', new Set(['lowsrc', 'dynsrc'])],
]);

/** Attributes that matter on any element. */
const moreNames = new Set(
  'style integrity crossorigin srcdoc rel href imagesrcset http-equiv content type'.split(' '),
);

/** Frames within frames, each in an attribute of the one around it. */
const maxFrames = 5;

/**
 * A page whose references lead to the folder, or where that has no copy to the live site. Everything else stays as it
 * is written, byte for byte: scripts above all, whose addresses nobody can tell from other texts.
 *
 * What would keep a browser from using a local file goes: `<base>`, a policy in a meta, and for what is in the folder
 * `integrity` (a style sheet has changed) and `crossorigin` (a file has no origin).
 */
export function rewriteHtml(html: string, options: RewriteHtmlOptions): string {
  return rewriteFrame(html, options, 0);
}

function rewriteFrame(html: string, options: RewriteHtmlOptions, depth: number): string {
  const { tags, styles, scripts } = readTags(html, options.xml);
  const base = baseOf(html, tags, options) ?? options.url;
  const { redirected } = options;
  const edits: Edit[] = [];
  for (const { start, end } of styles)
    edits.push({ start, end, text: rewriteCss(html.slice(start, end), base, redirected) });
  if (options.shown) for (const { start, end } of scripts) edits.push({ start, end, text: '' });
  for (const tag of tags) editTag(tag);
  return applyEdits(html, edits);

  function valueOf({ start, end }: Attribute): string {
    return decodeAttribute(html.slice(start, end));
  }

  function setValue({ start, end }: Attribute, text: string): void {
    const quote = html[start - 1];
    const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    if (quote === "'") edits.push({ start, end, text: escaped.replaceAll("'", '&#39;') });
    else if (quote === '"') edits.push({ start, end, text: escaped.replaceAll('"', '&quot;') });
    else edits.push({ start, end, text: `"${escaped.replaceAll('"', '&quot;')}"` });
  }

  function remove(attribute: Attribute): void {
    const { start, end } = wholeAttribute(html, attribute);
    edits.push({ start, end, text: '' });
  }

  /** True where the attribute now names a file of the folder. */
  function editAddress(attribute: Attribute): boolean {
    const href = valueOf(attribute).trim();
    // Nothing, and a bare fragment, is this very page or a place on it, wherever that is.
    if (href === '' || (base === options.url && href.startsWith('#'))) return false;
    const to = redirected(href, base);
    if (to === undefined) return false;
    if (to.href !== href) setValue(attribute, to.href);
    return to.kept;
  }

  function editSrcset(attribute: Attribute): boolean {
    const text = valueOf(attribute);
    let kept = false;
    const parts = srcsetPlaces(text).flatMap(({ start, end }) => {
      const to = redirected(text.slice(start, end), base);
      kept ||= to?.kept ?? false;
      return to === undefined ? [] : [{ start, end, text: to.href }];
    });
    if (parts.length > 0) setValue(attribute, applyEdits(text, parts));
    return kept;
  }

  function editTag({ name, attributes }: Tag): void {
    const get = (wanted: string) => attributes.find((attribute) => attribute.name === wanted);
    const table = linkTable.get(name);
    let kept = false;
    const source = options.shown && name === 'script' ? get('src') : undefined;
    if (source) return remove(source);
    for (const attribute of attributes) {
      const meaning = table?.get(attribute.name);
      if (meaning?.srcset) kept = editSrcset(attribute) || kept;
      else if (meaning || moreAddresses.get(name)?.has(attribute.name)) kept = editAddress(attribute) || kept;
      else if (attribute.name === 'style') {
        const css = valueOf(attribute);
        const changed = rewriteCss(css, base, redirected);
        if (changed !== css) setValue(attribute, changed);
      } else if (attribute.name === 'srcdoc' && name === 'iframe' && depth < maxFrames) {
        const inner = { ...options, url: base, xml: false };
        const page = valueOf(attribute);
        const changed = rewriteFrame(page, inner, depth + 1);
        // Also where it has no value: one that is only a name has no place for it.
        if (changed !== page) setValue(attribute, changed);
      }
    }
    if (name === 'link') kept = editLink(get);
    else if (name === 'meta') editMeta(get);
    else if (name === 'base') {
      const href = get('href');
      if (href) remove(href);
    }
    if (!kept) return;
    for (const blocking of ['integrity', 'crossorigin']) {
      const attribute = get(blocking);
      if (attribute) remove(attribute);
    }
  }

  function editLink(get: (name: string) => Attribute | undefined): boolean {
    const [rel, href, images] = [get('rel'), get('href'), get('imagesrcset')];
    const fromImages = images ? editSrcset(images) : false;
    if (!href) return fromImages;
    if (!rel || !/(?:^|\s)canonical(?:\s|$)/i.test(valueOf(rel))) return editAddress(href) || fromImages;
    // This says where the page is from, and goes on saying so.
    const to = options.resolveBase(valueOf(href), base);
    if (to !== undefined) setValue(href, to);
    return false;
  }

  function editMeta(get: (name: string) => Attribute | undefined): void {
    const [command, content] = [get('http-equiv'), get('content')];
    if (!command || !content) return;
    const word = valueOf(command).trim().toLowerCase();
    if (word === 'content-security-policy') {
      remove(command);
      remove(content);
    }
    if (word !== 'refresh') return;
    const text = valueOf(content);
    const target = refreshTarget(text);
    const to = target && redirected(target.href, base);
    if (target && to) setValue(content, applyEdits(text, [{ ...target, text: to.href }]));
  }
}

/** The first `<base>` with an address holds for the whole page, also for what stands before it. */
function baseOf(html: string, tags: readonly Tag[], { url, resolveBase }: RewriteHtmlOptions) {
  for (const { name, attributes } of tags) {
    const href = name === 'base' ? attributes.find((attribute) => attribute.name === 'href') : undefined;
    if (href) return resolveBase(decodeAttribute(html.slice(href.start, href.end)), url);
  }
  return undefined;
}

interface Range {
  start: number;
  end: number;
}

/** Scripts of other types are data that somebody may read. */
const scriptType = /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script.*)$/i;

/** Every start tag with attributes, every style element and every script in the page. */
function readTags(html: string, xml: boolean): { tags: Tag[]; styles: Range[]; scripts: Range[] } {
  const tags: Tag[] = [];
  const styles: Range[] = [];
  const scripts: Range[] = [];
  const foreign = createForeignTracker();
  let tag: Tag = { name: '', attributes: [] };
  /** Within a style element of SVG, whose content is text like any other. */
  let inStyle = false;
  const handler: ScanHandler = {
    isForeign: () => foreign.inside(),
    open(name) {
      tag = { name, attributes: [] };
      return true;
    },
    attribute(name, start, end) {
      const matters = linkTable.get(tag.name)?.has(name) || moreAddresses.get(tag.name)?.has(name);
      if (!matters && !moreNames.has(name)) return;
      // Of two with the same name a browser takes the first.
      if (!tag.attributes.some((other) => other.name === name)) tag.attributes.push({ name, start, end });
    },
    opened(selfClosing) {
      inStyle = foreign.inside() && tag.name === 'style' && !selfClosing;
      foreign.opened(tag.name, selfClosing);
      if (tag.attributes.length > 0) tags.push(tag);
    },
    close(name) {
      foreign.closed(name);
      inStyle = false;
    },
    text(start, end) {
      if (inStyle) styles.push({ start, end });
    },
    raw(name, start, end) {
      if (name === 'style') styles.push({ start, end });
      const type = tag.attributes.find((attribute) => attribute.name === 'type');
      if (name === 'script' && scriptType.test(type ? html.slice(type.start, type.end).trim() : ''))
        scripts.push({ start, end });
    },
  };
  scanHtml(html, handler, { xml });
  return { tags, styles, scripts };
}

const space = /\s/;

/** With its name, its quotes and one space before it. */
function wholeAttribute(html: string, { name, start, end }: Attribute): { start: number; end: number } {
  let from = start;
  let to = end;
  const quote = html[from - 1];
  if ((quote === '"' || quote === "'") && html[to] === quote) {
    from -= 1;
    to += 1;
  }
  const back = (): void => {
    while (space.test(html[from - 1] ?? '')) from -= 1;
  };
  back();
  if (html[from - 1] === '=') {
    from -= 1;
    back();
  } else from = start;
  from -= name.length;
  return { start: space.test(html[from - 1] ?? '') ? from - 1 : from, end: to };
}
