import type { Url } from '@webfarer/protocol';

export interface CopyRow {
  first: Url;
  urls: number;
}

/** Which pages have the same content, for as many contents as there is room for. */
export class Copies {
  readonly #max: number;
  readonly #rows = new Map<string, CopyRow>();

  constructor(max = 100_000) {
    this.#max = max;
  }

  add(digest: string, url: Url): void {
    const row = this.#rows.get(digest);
    if (row) row.urls += 1;
    else if (this.#rows.size < this.#max) this.#rows.set(digest, { first: url, urls: 1 });
  }

  /** Contents that several URLs have, the most copied first. */
  repeated(): CopyRow[] {
    return [...this.#rows.values()]
      .filter((row) => row.urls > 1)
      .sort((a, b) => b.urls - a.urls || (a.first < b.first ? -1 : 1));
  }
}
