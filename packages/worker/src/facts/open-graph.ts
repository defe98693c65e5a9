import { parseUrl } from '@webfarer/protocol/url';
import type { Meta, Survey } from './survey.ts';

/** An image, video or sound: its absolute URL, and what the properties behind it say. */
export interface OpenGraphMedia {
  readonly url: string;
  readonly secureUrl?: string;
  readonly type?: string;
  readonly width?: string;
  readonly height?: string;
  readonly alt?: string;
}

/** What a page says by the Open Graph protocol. Fields that it does not have are absent. */
export interface OpenGraph {
  readonly title?: string;
  readonly type?: string;
  readonly url?: string;
  readonly description?: string;
  readonly siteName?: string;
  readonly locale?: string;
  readonly images: readonly OpenGraphMedia[];
  readonly videos: readonly OpenGraphMedia[];
  readonly audio: readonly OpenGraphMedia[];
  /** Every property by its full name (`og:title`, `article:tag`), with all its values in order, as written. */
  readonly properties: Readonly<Record<string, readonly string[]>>;
}

const namespaces = new Set(['og', 'article', 'book', 'profile', 'music', 'video', 'product']);

/** Also takes `<meta name="og:…">` and metas outside of the head, as the sites that show previews do. */
export function readOpenGraph({ metas, prefixes, base }: Survey): OpenGraph {
  const ours = metas.filter(({ name }) => {
    const namespace = name.slice(0, name.indexOf(':'));
    return namespaces.has(namespace) || (namespace !== '' && prefixes.has(namespace));
  });
  const properties = Object.create(null) as Record<string, string[]>;
  for (const { name, content } of ours) (properties[name] ??= []).push(content);
  const first = (name: string, as: string) => {
    const value = properties[name]?.find((each) => each.trim() !== '')?.trim();
    return value === undefined ? {} : { [as]: value };
  };
  const media = (root: string) => mediaOf(ours, root, (text) => parseUrl(text, base)?.href ?? text);
  return {
    ...first('og:title', 'title'),
    ...first('og:type', 'type'),
    ...first('og:url', 'url'),
    ...first('og:description', 'description'),
    ...first('og:site_name', 'siteName'),
    ...first('og:locale', 'locale'),
    images: media('og:image'),
    videos: media('og:video'),
    audio: media('og:audio'),
    properties,
  };
}

type Media = { -readonly [K in keyof OpenGraphMedia]: OpenGraphMedia[K] };

const fields: ReadonlyMap<string, keyof Media> = new Map([
  ['secure_url', 'secureUrl'],
  ['type', 'type'],
  ['width', 'width'],
  ['height', 'height'],
  ['alt', 'alt'],
]);

/** `og:image` begins a new one; `og:image:width` is about the last one. `og:image:url` is the same as `og:image`. */
function mediaOf(metas: readonly Meta[], root: string, absolute: (text: string) => string): OpenGraphMedia[] {
  const found: Media[] = [];
  let last: Media | undefined;
  for (const { name, content } of metas) {
    if (name !== root && !name.startsWith(`${root}:`)) continue;
    const part = name.slice(root.length + 1);
    const field = fields.get(part);
    const text = content.trim();
    if (text === '') continue;
    const value = part === '' || part.endsWith('url') ? absolute(text) : text;
    if (part === '' || part === 'url') {
      if (part === 'url' && last?.url === value) continue;
      found.push((last = { url: value }));
    } else if (field !== undefined && last !== undefined) last[field] ??= value;
    else if (part === 'secure_url') found.push((last = { url: value, secureUrl: value }));
  }
  return found;
}
