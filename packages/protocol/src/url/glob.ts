import type { HostKey } from '../base/brands.ts';
import { createExpression } from '../expression/expression.ts';
import type { UrlPattern } from './rules.ts';

/**
 * Globs over URLs. `*` is any run within a segment, `**` any run at all, everything else itself, `?` too.
 * - With a scheme (`https://a.example/x/**`): the whole URL.
 * - Starting with `/`: path and query from their start.
 * - Otherwise (`*.pdf`, `login/**`): from behind any slash of the URL; `**…` from anywhere.
 * A trailing `/**` is the place itself and all below it. A query is matched only if the glob gets to it:
 * `*.pdf` also fits `…/a.pdf?page=2`.
 */
export function globMatcher(glob: string, seedHosts: readonly HostKey[] = []): (url: string) => boolean {
  const matchers = withSeeds(glob, seedHosts).map(oneGlob);
  return matchers.length === 1 && matchers[0] !== undefined
    ? matchers[0]
    : (url) => matchers.some((matches) => matches(url));
}

/** A glob or a regular expression, the latter matched anywhere in the URL. */
export function patternMatcher(
  pattern: UrlPattern,
  seedHosts: readonly HostKey[] = [],
): (url: string) => boolean {
  if (typeof pattern === 'string') return globMatcher(pattern, seedHosts);
  const hosts = seedHosts.map((host) => host.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|');
  // No seeds: `[]` matches nothing.
  const source = pattern.regex.replaceAll('{seeds}', hosts === '' ? '[]' : `(?:${hosts})`);
  const hostCharacters = Math.max(0, source.length - pattern.regex.length);
  const expression = createExpression(source, { flags: pattern.flags, use: 'test', hostCharacters });
  return (url) => expression.test(url);
}

/** How a person wrote it. */
export function showPattern(pattern: UrlPattern): string {
  if (typeof pattern === 'string') return pattern;
  return `regex ${pattern.regex}${pattern.flags === undefined ? '' : `, flags ${pattern.flags}`}`;
}

function withSeeds(glob: string, seedHosts: readonly HostKey[]): string[] {
  return glob.includes('{seeds}') ? seedHosts.map((host) => glob.replaceAll('{seeds}', host)) : [glob];
}

function oneGlob(glob: string): (url: string) => boolean {
  const text = encodePattern(glob);
  const onPath = text.startsWith('/');
  const anywhere = !onPath && !text.includes('://') && !text.startsWith('**');
  const whole = anywhere ? `**/${text}` : text;
  const below = whole.endsWith('/**') ? tokens(whole.slice(0, -3)) : undefined;
  const pattern = tokens(whole);
  const seesQuery = text.includes('?');
  return (url) => {
    const subject = onPath ? pathPart(url) : url;
    if (walk(pattern, subject) || (below !== undefined && walk(below, subject))) return true;
    const query = seesQuery ? -1 : subject.indexOf('?');
    if (query < 0) return false;
    const path = subject.slice(0, query);
    return walk(pattern, path) || (below !== undefined && walk(below, path));
  };
}

function pathPart(url: string): string {
  const host = url.indexOf('://');
  return host < 0 ? url : url.slice(url.indexOf('/', host + 3));
}

/** URLs are ASCII with a lower-case host; a pattern may be written as people read it. */
function encodePattern(glob: string): string {
  const ascii = glob.replace(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text.toWellFormed()));
  return ascii.replace(
    /^([a-z*]+:\/\/)([^/]*)/i,
    (_, scheme: string, host: string) => scheme.toLowerCase() + host.toLowerCase(),
  );
}

const star = 1;
const doubleStar = 2;
type Token = string | typeof star | typeof doubleStar;

function tokens(glob: string): Token[] {
  return (glob.match(/\*+|[^*]+/g) ?? []).map((part) =>
    part[0] !== '*' ? part : part.length > 1 ? doubleStar : star,
  );
}

/**
 * Leftmost, shortest match of each piece. Of all `*` only the last can profit from growing, and it stops
 * at a slash; then the last `**` grows. Within a segment a later start of that `**` fails at the same
 * slash, so it jumps to the next segment: the time is bounded by pattern length x URL length.
 */
function walk(pattern: readonly Token[], text: string): boolean {
  let p = 0;
  let t = 0;
  let starP = -1;
  let starT = 0;
  let doubleP = -1;
  let doubleT = 0;
  for (;;) {
    const token = pattern[p];
    if (token === undefined) {
      if (t === text.length) return true;
    } else if (token === star) {
      starP = ++p;
      starT = t;
      continue;
    } else if (token === doubleStar) {
      doubleP = ++p;
      doubleT = t;
      starP = -1;
      if (p === pattern.length) return true;
      continue;
    } else if (text.startsWith(token, t)) {
      p++;
      t += token.length;
      continue;
    }
    // Mismatch: grow the last `*` by one, unless a slash is in the way.
    if (starP >= 0 && starT < text.length && text.charCodeAt(starT) !== 0x2f) {
      t = ++starT;
      p = starP;
      continue;
    }
    if (doubleP < 0) return false;
    const hitSlash = starP >= 0;
    if (hitSlash && starT >= text.length) return false;
    doubleT = hitSlash ? afterSlash(text, doubleT) : doubleT + 1;
    // Straight to where the text behind the `**` occurs next.
    const next = pattern[doubleP];
    if (typeof next === 'string') doubleT = text.indexOf(next, doubleT);
    if (doubleT < 0 || doubleT > text.length) return false;
    t = doubleT;
    p = doubleP;
    starP = -1;
  }
}

function afterSlash(text: string, from: number): number {
  const slash = text.indexOf('/', from);
  // The slash itself may be where the next piece begins.
  return slash < 0 ? text.length + 1 : Math.max(slash, from + 1);
}
