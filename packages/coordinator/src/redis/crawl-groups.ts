/** The groups that something of a crawl has come into (F21). Never altered: a crawl that comes into more has another one. */
export interface CrawlGroups {
  /** As the store has it: catalog.lua. */
  text: string;
  /** In their order. */
  list: readonly number[];
  has(group: number): boolean;
}

export const noGroups: CrawlGroups = { text: '', list: [], has: () => false };

/** Takes texts of the store apart, for a store with so many groups. */
export function groupsReader(count: number): (text: string) => CrawlGroups {
  const list = Array.from({ length: count }, (_, group) => group);
  const all: CrawlGroups = { text: 'all', list, has: (group) => group < count };
  return (text) => {
    if (text === 'all') return all;
    if (text === '') return noGroups;
    const has = (group: number) => ((digitAt(text, group >> 2) >> (group & 3)) & 1) === 1;
    return { text, list: list.filter(has), has };
  };
}

/** All that is in one of two texts. */
export function bothGroups(a: string, b: string): string {
  if (a === b || b === '') return a;
  if (a === 'all' || b === 'all') return 'all';
  const length = Math.max(a.length, b.length);
  const digits = Array.from({ length }, (_, at) => (digitAt(a, at) | digitAt(b, at)).toString(16));
  return digits.join('');
}

/** 0 behind the end. */
function digitAt(text: string, at: number): number {
  return Number.parseInt(text.charAt(at) || '0', 16);
}
