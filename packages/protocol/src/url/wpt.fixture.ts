import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseUrl } from './url.ts';

export interface WptCase {
  input: string;
  base: string | null;
  href?: string;
  failure?: boolean;
}

/** The URL cases of web-platform-tests in the folder of corpora; its comments are dropped. */
export function readWptCases(corpora: string): WptCase[] {
  const file = readFileSync(join(corpora, 'url-wpt', 'wpt-urltestdata.json'), 'utf8');
  return (JSON.parse(file) as (string | WptCase)[]).filter((entry) => typeof entry === 'object');
}

/** `INPUT against BASE` of every case that a parser reads otherwise. */
export function wptDeviations(
  cases: readonly WptCase[],
  parse: (input: string, base?: string) => { href: string } | null | undefined = parseUrl,
): string[] {
  return cases
    .filter(({ input, base, href }) => parse(input, base ?? undefined)?.href !== href)
    .map(({ input, base }) => JSON.stringify(input) + (base === null ? '' : ` against ${base}`));
}
