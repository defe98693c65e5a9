/**
 * Most links are written just as a URL parser would write them, and reading such a link letter by letter
 * costs ten times as much as seeing that nothing in it needs to change.
 *
 * A segment that begins with a dot, or with the escape of one, may be a dot segment; every other character
 * here stays as it is by the URL standard, in a path and in the query of an http URL.
 */
const path = String.raw`(?:\/(?!\.|%2[eE])[\w.~!$&'()*+,;=@:%-]*)`;
const end = String.raw`(?:\?[\w.~!$&()*+,;=@:%\/?[\]|-]*)?(?:#.*)?$`;
/** A path from the root, at the position where the match is to begin. */
// allow(expression): of the constants above
const rooted = new RegExp(`${path}+${end}`, 'y');
/** A path from the folder of the page. A colon in its first segment could end a scheme. */
// allow(expression): of the constants above
const relative = new RegExp(String.raw`^[\w~!$&()*+,;=@-][\w.~!$&'()*+,;=@%-]*${path}*${end}`);

/** The text as a URL, where that is only a matter of putting it behind its base; undefined: ask the parser. */
export type PlainResolver = (text: string, base: string | undefined) => string | undefined;

const slash = 0x2f;
const maxOrigins = 4096;

export function plainResolver(): PlainResolver {
  let lastBase = '';
  let ownOrigin: string | undefined;
  let folder = '';
  /** Origins that the parser leaves as they are, under themselves: the values are no part of a page's text. */
  const origins = new Map<string, string>();

  function enter(base: string): void {
    lastBase = base;
    ownOrigin = absolute(base) === base ? originAt(base, base.indexOf('/', 8)) : undefined;
    const query = base.indexOf('?');
    folder = base.slice(0, base.lastIndexOf('/', query < 0 ? undefined : query) + 1);
  }

  function absolute(text: string): string | undefined {
    const at = text.indexOf('/', 8);
    if (at < 0 || !fits(rooted, text, at)) return undefined;
    const found = originAt(text, at);
    return found === undefined ? undefined : found + withoutFragment(text.slice(at));
  }

  function originAt(text: string, at: number): string | undefined {
    const written = text.slice(0, at);
    const known = origins.get(written);
    if (known !== undefined) return known;
    const origin = plainOrigin(written);
    if (origin === undefined) return undefined;
    if (origins.size >= maxOrigins) origins.clear();
    origins.set(origin, origin);
    return origin;
  }

  return (text, base) => {
    if (text.startsWith('http://') || text.startsWith('https://')) return absolute(text);
    if (base === undefined) return undefined;
    if (base !== lastBase) enter(base);
    if (ownOrigin === undefined) return undefined;
    if (text.charCodeAt(0) !== slash) return relative.test(text) ? folder + withoutFragment(text) : undefined;
    return text.charCodeAt(1) !== slash && fits(rooted, text, 0)
      ? ownOrigin + withoutFragment(text)
      : undefined;
  };
}

/** The same text, where it is just scheme, host and port as the parser writes them. */
function plainOrigin(text: string): string | undefined {
  const parsed = URL.parse(`${text}/`);
  return parsed?.origin === text && /^https?:/.test(text) ? parsed.origin : undefined;
}

function fits(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

function withoutFragment(text: string): string {
  const hash = text.indexOf('#');
  return hash < 0 ? text : text.slice(0, hash);
}
