/** Patterns of robots.txt: `*` is any run of characters, `$` at the end is the end of the path. */
export interface RobotsPattern {
  /** What stands between the stars; the first piece is where the path begins. */
  pieces: string[];
  /** The last piece must end the path. */
  toEnd: boolean;
}

export function compileRobotsPattern(pattern: string): RobotsPattern {
  const toEnd = pattern.endsWith('$');
  return { pieces: (toEnd ? pattern.slice(0, -1) : pattern).replace(/\*+/g, '*').split('*'), toEnd };
}

/** What the searches of many patterns may cost together. */
export interface SearchBudget {
  /** Characters of the path that may still be gone over. */
  characters: number;
}

/** Leftmost match of each piece, no backtracking: the time does not depend on the number of stars. */
export function fitsRobotsPattern(
  { pieces, toEnd }: RobotsPattern,
  path: string,
  budget: SearchBudget,
): boolean {
  const first = pieces[0] ?? '';
  if (!path.startsWith(first)) return false;
  let at = first.length;
  const last = pieces.length - 1;
  if (last === 0) return !toEnd || at === path.length;
  budget.characters -= path.length - at;
  for (let i = 1; i < last; i++) {
    const piece = pieces[i] ?? '';
    const found = path.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  const end = pieces[last] ?? '';
  return toEnd ? path.length - end.length >= at && path.endsWith(end) : path.indexOf(end, at) >= 0;
}

/** Non-ASCII as percent-encoded UTF-8, escapes in upper case; the rest as it is. */
export function escapePath(path: string): string {
  if (!/[^\x21-\x7e]|%/.test(path)) return path;
  return path
    .replace(/[^\x20-\x7e]+/g, (text) => encodeURIComponent(text.toWellFormed()))
    .replace(/%[0-9a-fA-F]{2}/g, (escape) => escape.toUpperCase());
}

/** Undoes escapes of unreserved characters, which RFC 9309 compares as the characters themselves. */
export function plainPath(escaped: string): string {
  if (!escaped.includes('%')) return escaped;
  return escaped.replace(/%(?:2[DE]|3\d|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])/g, (escape) =>
    String.fromCharCode(Number.parseInt(escape.slice(1), 16)),
  );
}
