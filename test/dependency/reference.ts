/**
 * Dependencies by the letter of docs/dependency.md, with whole matrices and Gaussian elimination. Shares nothing with
 * the solver it judges: no code, no data structure, no method.
 */
export interface SmallWeb {
  /** Pages of the job: URL and where the links on it lead, as they stand there. */
  pages: Map<string, string[]>;
  /** URLs inside the job that redirect, and where to. */
  redirects: Map<string, string>;
  isInside(url: string): boolean;
}

export interface ReferenceScore {
  leaves: number;
  stopped: number;
  ended: number;
  lost: number;
  targets: Map<string, ReferenceTarget>;
}

export interface ReferenceTarget {
  share: number;
  pages: number;
  links: number;
  reachable: number;
}

const damping = 0.85;

type Place = { kind: 'page' | 'target' | 'lost'; url: string };

/** The scores of a reader who begins on one of `from`; targets are named by `nameOf`. */
export function referenceScore(
  web: SmallWeb,
  from: readonly string[],
  nameOf: (url: string) => string,
): ReferenceScore {
  const pages = [...web.pages.keys()];
  const number = new Map(pages.map((url, n) => [url, n]));
  const links = pages.map((url) => placesOn(web, url));
  const visits = solve(
    pages.map((_, j) =>
      pages.map((__, i) => (i === j ? 1 : 0) - stepChance(links[i] as Place[], pages[j] as string)),
    ),
    pages.map((url) => (from.includes(url) ? 1 / from.length : 0)),
  );
  const score = { leaves: 0, stopped: 0, ended: 0, lost: 0, targets: new Map<string, ReferenceTarget>() };
  const out = new Map<string, number>();
  links.forEach((places, page) => {
    const readers = visits[page] as number;
    if (places.length === 0) score.ended += readers;
    else score.stopped += readers * (1 - damping);
    for (const { kind, url } of places) {
      const taken = (readers * damping) / places.length;
      if (kind === 'lost') score.lost += taken;
      if (kind !== 'target') continue;
      score.leaves += taken;
      out.set(nameOf(url), (out.get(nameOf(url)) ?? 0) + taken);
    }
  });
  for (const [name, taken] of out) {
    // Nobody gets there from these pages: no dependency of theirs.
    if (taken === 0) continue;
    const counts = countTarget(web, { pages, links, number, nameOf }, name);
    score.targets.set(name, { share: taken / score.leaves, ...counts });
  }
  return score;
}

function stepChance(places: readonly Place[], to: string): number {
  return places.some(({ kind, url }) => kind === 'page' && url === to) ? damping / places.length : 0;
}

function placesOn(web: SmallWeb, page: string): Place[] {
  const ends = (web.pages.get(page) ?? []).map((url) => follow(web, url));
  return [...new Set(ends)]
    .filter((url) => url !== page)
    .map((url) => ({
      url,
      kind: web.pages.has(url)
        ? ('page' as const)
        : web.isInside(url)
          ? ('lost' as const)
          : ('target' as const),
    }));
}

/** In a circle: the link itself. */
function follow({ redirects }: SmallWeb, url: string): string {
  const passed = new Set<string>();
  let at = url;
  for (let next = redirects.get(at); next !== undefined; next = redirects.get(at)) {
    if (passed.has(at)) return url;
    passed.add(at);
    at = next;
  }
  return at;
}

interface Judged {
  pages: string[];
  links: Place[][];
  number: Map<string, number>;
  nameOf: (url: string) => string;
}

function countTarget(web: SmallWeb, { pages, links, number, nameOf }: Judged, name: string) {
  const isThere = ({ kind, url }: Place): boolean => kind === 'target' && nameOf(url) === name;
  const linking = pages.filter((_, page) => links[page]?.some(isThere));
  const ends = pages.flatMap((page) => (web.pages.get(page) ?? []).map((url) => follow(web, url)));
  const reaching = new Set(linking);
  // Until nothing more is added: plain, and quick enough for small webs.
  for (let before = -1; before !== reaching.size; ) {
    before = reaching.size;
    for (const page of pages) {
      const places = links[number.get(page) as number] ?? [];
      if (places.some(({ kind, url }) => kind === 'page' && reaching.has(url))) reaching.add(page);
    }
  }
  return {
    pages: linking.length,
    links: ends.filter((url) => !web.pages.has(url) && !web.isInside(url) && nameOf(url) === name).length,
    reachable: reaching.size / pages.length,
  };
}

/** Gaussian elimination with the largest pivot of each column. */
export function solve(matrix: number[][], right: readonly number[]): number[] {
  const n = right.length;
  const rows = matrix.map((row, i) => [...row, right[i] as number]);
  for (let column = 0; column < n; column++) {
    let pivot = column;
    for (let i = column + 1; i < n; i++)
      if (Math.abs(rows[i]![column]!) > Math.abs(rows[pivot]![column]!)) pivot = i;
    [rows[column], rows[pivot]] = [rows[pivot]!, rows[column]!];
    const top = rows[column]!;
    for (let i = column + 1; i < n; i++) {
      const row = rows[i]!;
      const factor = row[column]! / top[column]!;
      if (factor !== 0) for (let j = column; j <= n; j++) row[j]! -= factor * top[j]!;
    }
  }
  const answer = Array.from({ length: n }, () => 0);
  for (let i = n - 1; i >= 0; i--) {
    let sum = rows[i]![n]!;
    for (let j = i + 1; j < n; j++) sum -= rows[i]![j]! * answer[j]!;
    answer[i] = sum / rows[i]![i]!;
  }
  return answer;
}
