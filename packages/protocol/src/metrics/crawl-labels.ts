import { crawlLabels, otherLabel } from './metric-table.ts';

/** Which crawls have a label of their own. */
export interface CrawlLabels {
  /** The label of a crawl, from its first use on. It stays the same as long as the process lives, or it has ended. */
  of(crawl: { id: string; name: string }): string;
  /** Its label may be given to another crawl that needs one; until then it stays. */
  ended(id: string): void;
}

/**
 * The first crawls have labels of their own. One that comes later takes over the place of the crawl that ended first, or
 * is counted as `other` for good: a counter that moved between two labels would look as if it had been reset.
 */
export function createCrawlLabels(forget: (label: string) => void, most = crawlLabels): CrawlLabels {
  const labels = new Map<string, string>();
  /** Those that have ended, the first one first. */
  const over = new Set<string>();

  function freePlace(): boolean {
    const used = new Set(labels.values());
    used.delete(otherLabel);
    if (used.size < most) return true;
    const [first] = over;
    if (first === undefined) return false;
    over.delete(first);
    const label = labels.get(first);
    labels.delete(first);
    // A crawl of the same name may have begun since.
    if (label !== undefined && label !== otherLabel && ![...labels.values()].includes(label)) forget(label);
    return freePlace();
  }

  return {
    of({ id, name }) {
      const known = labels.get(id);
      if (known !== undefined) return known;
      const isShared = [...labels.values()].includes(name);
      const label = isShared || freePlace() ? name : otherLabel;
      labels.set(id, label);
      return label;
    },
    ended(id) {
      if (labels.has(id)) over.add(id);
    },
  };
}
