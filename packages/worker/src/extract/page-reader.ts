import { decodeAttribute, decodeCharacters } from './entities.ts';
import { createForeignTracker } from './foreign-content.ts';
import { readCss } from './css.ts';
import { type ScanHandler, scanHtml, startScan } from './html-scanner.ts';
import { type LinkAttribute, linkRelation, linkTable, type LinkUse } from '@webfarer/protocol/url';
import { type MetaRobots, usageSignals } from './signals.ts';
import { refreshTarget } from './refresh.ts';
import { parseSrcset } from './srcset.ts';
import { nextTurn } from './turns.ts';

export interface RawLink {
  /** As written, character references decoded, white space around it dropped. */
  href: string;
  /** What the caller's `resolve` makes of it; undefined when it is not a URL the crawl can use. */
  url: string | undefined;
  /** Where it stood: `a`, `img`, `link:canonical`, `meta:refresh`, ... */
  rel: string;
  use: LinkUse;
  nofollow: boolean;
  /** Anchor text, white space folded, at most 200 characters. */
  text: string;
}

export interface PageRead {
  links: RawLink[];
  /** The first `<base href>` as written. */
  base: string | undefined;
  title: string | undefined;
  lang: string | undefined;
  metaRobots: MetaRobots[];
  looksEmpty: boolean;
  /** Scripts that run. */
  scripts: number;
  /** Characters of text that people see, without white space around it. */
  visible: number;
  skipped: number;
}

const maxAttribute = 65_536;
const maxText = 200;
const maxTitle = 500;
/** Of a style element, in characters: it is read in one go. */
const maxStyle = 1_000_000;
/** Less visible text than this, and scripts, is taken for an empty shell. */
const emptyText = 200;

/** Elements that matter beside those of the link table. */
const otherTags = new Set(['html', 'base', 'link', 'meta', 'title', 'template']);
const otherAttributes: Readonly<Record<string, ReadonlySet<string>>> = {
  html: new Set(['lang', 'xml:lang']),
  base: new Set(['href']),
  link: new Set(['href', 'rel', 'imagesrcset']),
  meta: new Set(['name', 'content', 'http-equiv', 'property']),
  a: new Set(['rel']),
  area: new Set(['rel', 'alt']),
  img: new Set(['alt']),
  iframe: new Set(['srcdoc']),
  script: new Set(['type']),
  template: new Set(['shadowrootmode']),
  title: new Set(),
};
const none: ReadonlySet<string> = new Set();

/** Types of scripts that run. All others are data for one that does, or for others to read: JSON-LD, templates. */
const runs =
  /^(?:module|(?:text|application)\/(?:x-)?(?:java|ecma)script|text\/(?:jscript|livescript|javascript1\.\d))?$/i;

/** Most style attributes refer to nothing; an escape may hide that one does. */
const mayRefer = /url\(|image-set\(|src\(|\\/i;

type Tag = { name: string; values: Map<string, string> };

export interface ReadPageOptions {
  xml: boolean;
  maxLinks: number;
  /** Read style elements and attributes as well. */
  styles: boolean;
}

/** Reads a page in one pass; see the scanner for what makes it quick. */
export function readPage(html: string, options: ReadPageOptions): PageRead {
  const reader = createReader(html, options);
  scanHtml(html, reader.handler, options);
  return reader.result();
}

/** What is read of a large page before others have their turn: about a millisecond's work. */
const sliceLength = 32_768;

/** The same for a large page, with turns for others in between. */
export async function readLargePage(html: string, options: ReadPageOptions): Promise<PageRead> {
  const reader = createReader(html, options);
  const scan = startScan(html, reader.handler, options);
  // Behind the last link that is kept there is nothing that would be worth the time of others.
  for (let until = sliceLength; !reader.isFull() && !scan(until); until += sliceLength) await nextTurn();
  return reader.result();
}

function createReader(html: string, { maxLinks, styles }: ReadPageOptions) {
  const links: PageRead['links'] = [];
  const metaRobots: MetaRobots[] = [];
  const foreign = createForeignTracker();
  let base: string | undefined;
  let title: string | undefined;
  let lang: string | undefined;
  let skipped = 0;
  let scripts = 0;
  let anchors = 0;
  let visible = 0;
  let templates = 0;
  let tag: Tag | undefined;
  let tagName = '';
  let wanted: ReadonlySet<string> = none;
  let linkAttributes: ReadonlyMap<string, LinkAttribute> | undefined;
  let anchor: RawLink | undefined;
  let anchorAlt = '';
  let inTitle = false;
  /** Within a style element of SVG, whose content is text like any other. */
  let inStyle = false;
  let hidden = '';

  function add(href: string, meaning: LinkAttribute, nofollow = false): RawLink | undefined {
    const trimmed = href.trim();
    // A data: URL is a thing in itself, not a reference.
    if (/^data:/i.test(trimmed)) return undefined;
    if (links.length >= maxLinks) {
      skipped += 1;
      return undefined;
    }
    const link = { href: trimmed, url: undefined, rel: meaning.rel, use: meaning.use, nofollow, text: '' };
    links.push(link);
    return link;
  }

  function addStyles(css: string): void {
    if (templates > 0) return;
    for (const { href, rel } of readCss(css)) add(href, { rel, use: 'requisite' });
  }

  /** A page within an attribute of this one: what it shows is part of it. */
  function addFrame(html: string | undefined): void {
    if (html === undefined) return;
    const inner = readPage(html, { xml: false, maxLinks: maxLinks - links.length, styles });
    for (const { href, rel, use } of inner.links) if (use === 'requisite') add(href, { rel, use });
  }

  function endAnchor(): void {
    if (anchor) anchor.text = fold(anchor.text, maxText) || fold(anchorAlt, maxText);
    anchor = undefined;
    anchorAlt = '';
  }

  function readLinks({ name, values }: Tag, table: ReadonlyMap<string, LinkAttribute>): void {
    const nofollow = hasWord(values.get('rel'), 'nofollow');
    if (name === 'a') endAnchor();
    for (const [attr, value] of values) {
      const meaning = table.get(attr);
      if (!meaning) continue;
      if (meaning.srcset) for (const href of parseSrcset(value)) add(href, meaning);
      else if (name === 'a') anchor = add(value, meaning, nofollow) ?? anchor;
      else if (name === 'area') {
        const link = add(value, meaning, nofollow);
        if (link) link.text = fold(values.get('alt') ?? '', maxText);
      } else if (value.trim() !== '') add(value, meaning);
    }
    if (styles && name === 'iframe') addFrame(values.get('srcdoc'));
    if (name === 'a' || name === 'area') anchors += 1;
    if (name === 'img' && anchor && anchorAlt === '') anchorAlt = values.get('alt') ?? '';
  }

  function readLinkElement(values: Map<string, string>): void {
    const meaning = linkRelation(values.get('rel') ?? '');
    const href = values.get('href');
    if (!meaning) return;
    if (href !== undefined && href.trim() !== '') add(href, meaning, hasWord(values.get('rel'), 'nofollow'));
    for (const image of parseSrcset(values.get('imagesrcset') ?? ''))
      add(image, { ...meaning, use: 'requisite' });
  }

  function readMeta(values: Map<string, string>): void {
    const content = values.get('content');
    if (content === undefined) return;
    if (values.get('http-equiv')?.trim().toLowerCase() === 'refresh') {
      const href = refreshTarget(content.slice(0, maxAttribute))?.href;
      if (href !== undefined) add(href, { rel: 'meta:refresh', use: 'page' });
    }
    const agent = values.get('name')?.trim().toLowerCase() ?? '';
    if (metaRobots.length < 50 && isSignal(agent, content))
      metaRobots.push({ agent, content: content.slice(0, 1_000) });
  }

  function endOpenTag(selfClosing: boolean): void {
    const inForeign = foreign.inside();
    foreign.opened(tagName, selfClosing);
    const ended = tag;
    tag = undefined;
    if (tagName === 'script' && runs.test((ended?.values.get('type') ?? '').split(';')[0]?.trim() ?? ''))
      scripts += 1;
    if (tagName === 'noscript') hidden = tagName;
    if (styles) inStyle = inForeign && tagName === 'style' && !selfClosing;
    if (!ended) return;
    const { name, values } = ended;
    if (name === 'template' && !inForeign) {
      // The content of a template is inert, unless it is a shadow root to be shown.
      if (templates > 0 || !values.has('shadowrootmode')) templates += 1;
    } else if (templates > 0) return;
    else if (linkAttributes) readLinks(ended, linkAttributes);
    else if (name === 'link') readLinkElement(values);
    else if (name === 'meta') readMeta(values);
    else if (name === 'base') base ??= values.get('href');
    else if (name === 'html') lang ??= values.get('lang') ?? values.get('xml:lang');
    else if (name === 'title' && title === undefined && !inForeign) {
      title = '';
      inTitle = true;
    }
  }

  const handler: ScanHandler = {
    isForeign: () => foreign.inside(),
    open(name) {
      tagName = name;
      linkAttributes = linkTable.get(name);
      if (!linkAttributes && !otherTags.has(name)) return styles;
      tag = { name, values: new Map() };
      wanted = otherAttributes[name] ?? none;
      return true;
    },
    attribute(name, start, end) {
      if (styles && name === 'style') {
        const css = html.slice(start, Math.min(end, start + maxAttribute));
        if (mayRefer.test(css)) addStyles(decodeAttribute(css));
      }
      if (!tag || !(wanted.has(name) || linkAttributes?.has(name)) || tag.values.has(name)) return;
      if (end - start > maxAttribute) skipped += 1;
      else tag.values.set(name, decodeAttribute(html.slice(start, end)));
    },
    opened: endOpenTag,
    close(name) {
      foreign.closed(name);
      inStyle = false;
      if (name === hidden) hidden = '';
      if (name === 'a') endAnchor();
      else if (name === 'title') inTitle = false;
      else if (name === 'template' && templates > 0) templates -= 1;
    },
    raw(name, start, end) {
      if (styles && name === 'style') addStyles(html.slice(start, Math.min(end, start + maxStyle)));
    },
    text(start, end) {
      if (inStyle) addStyles(html.slice(start, Math.min(end, start + maxStyle)));
      if (inTitle) title += html.slice(start, Math.min(end, start + maxTitle * 4));
      else if (anchor && anchor.text.length < maxText * 4)
        anchor.text += html.slice(start, Math.min(end, start + maxText * 4));
      if (visible < emptyText && hidden === '' && !inTitle && templates === 0)
        visible += html.slice(start, Math.min(end, start + emptyText * 4)).trim().length;
    },
  };

  return {
    handler,
    isFull: () => links.length >= maxLinks,
    result(): PageRead {
      endAnchor();
      return {
        links,
        base,
        title: title === undefined ? undefined : alone(fold(title, maxTitle)) || undefined,
        lang: lang?.trim() || undefined,
        metaRobots,
        looksEmpty: scripts > 0 && visible < emptyText && anchors < 3,
        scripts,
        visible,
        skipped,
      };
    },
  };
}

function hasWord(list: string | undefined, word: string): boolean {
  return (
    list
      ?.toLowerCase()
      .split(/[\s,]+/)
      .includes(word) ?? false
  );
}

/** The same text, but no part of a longer one: that would stay in memory with it. */
function alone(text: string): string {
  return ` ${text}`.slice(1);
}

/** White space that is not a single space. */
const unfolded = /[^\S ]|\s\s/;

/** References decoded, white space folded, cut to whole characters. */
function fold(text: string, length: number): string {
  const decoded = decodeCharacters(text);
  const folded = (unfolded.test(decoded) ? decoded.replace(/\s+/g, ' ') : decoded).trim();
  if (folded.length <= length) return folded;
  const cut = folded.slice(0, length);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

const directive =
  /^(?:all|none|index|noindex|follow|nofollow|archive|noarchive|nocache|nosnippet|noimageindex|notranslate|noai|noimageai|noodp|noydir|unavailable_after|max-(?:snippet|image-preview|video-preview))\s*(?::.*)?$/i;

/** A meta named after a crawler says what a robots meta says; any other meta does not. */
function isSignal(agent: string, content: string): boolean {
  if (agent === 'robots' || usageSignals.has(agent)) return true;
  return (
    agent !== '' && content.length < 500 && content.split(',').every((word) => directive.test(word.trim()))
  );
}
