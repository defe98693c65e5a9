/** A piece of a text that is replaced; pieces do not overlap. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** The text with all of them made. */
export function applyEdits(source: string, edits: readonly Edit[]): string {
  if (edits.length === 0) return source;
  let out = '';
  let at = 0;
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    out += source.slice(at, start) + text;
    at = end;
  }
  return out + source.slice(at);
}

/**
 * Where a reference leads from the file it stands in; undefined: it stays as it is written, because it is not a web
 * address. `kept`: the target is in the folder.
 */
export type Redirected = (href: string, base: string) => { href: string; kept: boolean } | undefined;
