import { isText, type TreeElement } from '../tree/tree.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** What a browser shows no text of: code, data, embedded media, controls, fallbacks for what it can do. */
const unseen = words(
  'script style template noscript title meta link base iframe frame frameset noframes object embed applet ' +
    'audio video canvas svg select datalist textarea progress meter map param source track rp annotation ' +
    'annotation-xml',
);

/** Elements that begin a line of their own. */
const blocks = words(
  'address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer ' +
    'form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search section ' +
    'summary table caption colgroup thead tbody tfoot tr ul',
);

export const isBlock = (name: string): boolean => blocks.has(name);

/** Whether nothing of an element is shown. Style sheets are not read: only what the element itself says counts. */
export function isUnseen(element: TreeElement): boolean {
  const { name, attribs } = element;
  // A template that says so is the shadow tree of its element, which browsers show.
  if (unseen.has(name)) return name !== 'template' || !('shadowrootmode' in attribs);
  // One of several tabs is a click away.
  if ('hidden' in attribs) return attribs.hidden !== 'until-found' && attribs.role !== 'tabpanel';
  if (name === 'a') return isPermalink(element);
  if (name === 'dialog') return !('open' in attribs);
  const { style } = attribs;
  return style !== undefined && /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style);
}

/** Signs that a heading shows while the pointer is over it. */
const permalink = /^(?:[\s#§¶∞↩⚓🔗\u{200b}]|\u{fe0e}|\u{fe0f})+$/u;
const permalinkWords = /^(?:permalink|permanent link|anchor|(?:direct |copy )?link to .*)$/i;
const permalinkClass = /anchor|header-?link|hash-?link|permalink/i;

/** A link to the very place it stands at, which says nothing. */
function isPermalink({ attribs, children }: TreeElement): boolean {
  if (!attribs.href?.startsWith('#')) return false;
  const [only, ...others] = children;
  if (!only || others.length > 0) return false;
  const text = isText(only) ? only.data : onlyText(only);
  if (text === undefined) return false;
  return (
    permalink.test(text) || (permalinkClass.test(attribs.class ?? '') && permalinkWords.test(text.trim()))
  );
}

function onlyText({ children }: TreeElement): string | undefined {
  const [only] = children;
  return only && children.length === 1 && isText(only) ? only.data : undefined;
}

/** The level of a heading; 0 for what is none. */
export function headingLevel(name: string): number {
  if (name.length !== 2 || name.charCodeAt(0) !== 0x68) return 0;
  const level = name.charCodeAt(1) - 0x30;
  return level >= 1 && level <= 6 ? level : 0;
}
