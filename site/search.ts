/** One passage: page address, title of the page, heading, anchor, text. */
export type Entry = readonly [page: string, title: string, heading: string, id: string, text: string];

export interface Found {
  entry: Entry;
  score: number;
}

export interface SearchIndex {
  find(query: string, most: number): Found[];
}

export function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Words of titles and headings count more than words of the text. */
const weights = { title: 8, heading: 5, text: 1 };

/** All words of a query must occur, the last one perhaps only begun; rare words count more. */
export function indexOf(entries: readonly Entry[]): SearchIndex {
  const places = new Map<string, Map<number, number>>();
  const add = (n: number, text: string, weight: number) => {
    for (const word of wordsIn(text)) {
      const found = places.get(word) ?? new Map<number, number>();
      found.set(n, Math.min((found.get(n) ?? 0) + weight, weight * 4));
      places.set(word, found);
    }
  };
  entries.forEach(([, title, heading, id, text], n) => {
    if (id === '') add(n, title, weights.title);
    else add(n, heading, weights.heading);
    add(n, text, weights.text);
  });
  const vocabulary = [...places.keys()].toSorted();

  function scores(word: string, isLast: boolean): Map<number, number> {
    const sum = new Map<number, number>();
    const candidates = isLast ? vocabulary.filter((known) => known.startsWith(word)) : [word];
    for (const candidate of candidates) {
      const found = places.get(candidate);
      if (found === undefined) continue;
      const rarity = Math.log(1 + entries.length / found.size) * (candidate === word ? 1 : 0.5);
      for (const [n, weight] of found) sum.set(n, Math.max(sum.get(n) ?? 0, weight * rarity));
    }
    return sum;
  }

  return {
    find(query, most) {
      const words = wordsIn(query);
      const each = words.map((word, n) => scores(word, n === words.length - 1));
      const [first, ...others] = each;
      if (first === undefined) return [];
      const found: Found[] = [];
      for (const [n, score] of first) {
        const entry = entries[n];
        const rest = others.map((other) => other.get(n));
        if (entry === undefined || rest.includes(undefined)) continue;
        found.push({ entry, score: rest.reduce<number>((sum, more) => sum + (more ?? 0), score) });
      }
      return found.toSorted((a, b) => b.score - a.score).slice(0, most);
    },
  };
}
