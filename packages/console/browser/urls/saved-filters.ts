import { type UrlsSearch, urlsSearchIn } from '../api/url-search.ts';

/** A filter that a person keeps under a name, in this browser. */
export interface SavedFilter {
  name: string;
  search: UrlsSearch;
}

const key = 'webfarer.url-filters';
const mostSaved = 50;
const longestName = 80;

type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem'>;

/** By name. What cannot be read is left out: others may write into the same storage. */
export function savedFilters(storage: Storage): SavedFilter[] {
  let kept: unknown;
  try {
    kept = JSON.parse(storage.getItem(key) ?? '[]');
  } catch {
    return [];
  }
  if (!Array.isArray(kept)) return [];
  return kept.slice(0, mostSaved).flatMap((one: unknown) => {
    const { name, search } = (one ?? {}) as Partial<Record<keyof SavedFilter, unknown>>;
    if (typeof name !== 'string' || name === '' || typeof search !== 'object' || search === null) return [];
    return [{ name: name.slice(0, longestName), search: urlsSearchIn(search as Record<string, unknown>) }];
  });
}

/** Replaces the one of the same name. */
export function saveFilter(storage: Storage, { name, search }: SavedFilter): SavedFilter[] {
  const named = { name: name.trim().slice(0, longestName), search };
  const others = savedFilters(storage).filter((one) => one.name !== named.name);
  return keep(storage, [...others, named].slice(-mostSaved));
}

export function forgetFilter(storage: Storage, name: string): SavedFilter[] {
  return keep(
    storage,
    savedFilters(storage).filter((one) => one.name !== name),
  );
}

function keep(storage: Storage, filters: SavedFilter[]): SavedFilter[] {
  const sorted = filters.toSorted((a, b) => a.name.localeCompare(b.name));
  storage.setItem(key, JSON.stringify(sorted));
  return sorted;
}
