import { normaliser, parseUrl, withoutUserinfo } from '@webfarer/protocol/url';
import type { TreeNode } from '../tree/tree.ts';
import { walk } from './walk.ts';

export type LinkResolver = (href: string | undefined) => string | undefined;

/** Longer ones are data, no address. */
const maxLength = 8_192;
const schemes = /^(?:https?|mailto|tel|ftp):/;

/**
 * Addresses as they stand in Markdown: absolute, with their fragment, and without a character that could end them.
 * Undefined for what leads nowhere outside a browser: `javascript:`, `data:` and what is no URL.
 */
export function linkResolver(base: string): LinkResolver {
  const plain = normaliser({ enabled: false, sort: false, strip: [] });
  const absolute = (href: string): string | undefined => {
    const hash = href.indexOf('#');
    // Most fragments are plain names: then nothing has to be parsed.
    if (hash < 0 || /^#[\w.-]+$/.test(href.slice(hash))) {
      const url = plain(hash < 0 ? href : href.slice(0, hash), base);
      if (url !== undefined) return hash < 0 ? url : url + href.slice(hash);
    }
    const parsed = parseUrl(href, base)?.href;
    return parsed !== undefined && schemes.test(parsed) ? withoutUserinfo(parsed) : undefined;
  };
  return (href) => {
    if (href === undefined || href.length > maxLength) return undefined;
    const url = absolute(href.trim());
    return url === undefined ? undefined : destination(url);
  };
}

/** Backticks would begin code, pipes end a cell; parentheses need angle brackets around the whole. */
function destination(url: string): string {
  const safe = /[`|<>\\\s]/.test(url) ? url.replace(/[`|<>\\\s]/g, (char) => encodeURIComponent(char)) : url;
  const text = safe.includes('&') ? safe.replace(/&(?=#?[a-z0-9]+;)/gi, '\\&') : safe;
  return /[()]/.test(text) ? `<${text}>` : text;
}

/** What links are relative to: the first `<base href>` of a page, or its own address. */
export function linkBase(nodes: readonly TreeNode[], url: string): string {
  let base: string | undefined;
  walk(nodes, {
    enter({ name, attribs }) {
      if (name === 'base') base ??= attribs.href;
      return base === undefined && name !== 'body';
    },
    leave() {},
    text() {},
  });
  const parsed = base === undefined ? undefined : parseUrl(base, url)?.href;
  return parsed !== undefined && /^https?:/.test(parsed) ? parsed : url;
}
