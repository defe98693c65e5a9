/** How much of a crawl falls under one key. */
export interface CountRow {
  key: string;
  /** Records: every URL has one. */
  urls: number;
  /** Those of them that are pages: answered with content. */
  pages: number;
  bytes: number;
}

/** Rows by key, exact for the first `max` keys; what comes later under further keys is counted together. */
export class CountTable {
  readonly #rows = new Map<string, CountRow>();
  readonly #max: number;
  readonly rest: CountRow = { key: '', urls: 0, pages: 0, bytes: 0 };

  constructor(max: number) {
    this.#max = max;
  }

  add(key: string, isPage: boolean, bytes: number): void {
    const row = this.#row(key);
    row.urls += 1;
    row.bytes += bytes;
    if (isPage) row.pages += 1;
  }

  #row(key: string): CountRow {
    const held = this.#rows.get(key);
    if (held) return held;
    if (this.#rows.size >= this.#max) return this.rest;
    const row = { key, urls: 0, pages: 0, bytes: 0 };
    this.#rows.set(key, row);
    return row;
  }

  /** Most URLs first. */
  sorted(): CountRow[] {
    return [...this.#rows.values()].sort((a, b) => b.urls - a.urls || (a.key < b.key ? -1 : 1));
  }
}
