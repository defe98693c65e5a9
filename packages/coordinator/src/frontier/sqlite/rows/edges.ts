import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Database } from '../../../sqlite/node-sqlite.ts';

/** The packed links of one record. */
export interface PackedPage {
  record: number;
  /** How many links. */
  count: number;
  packed: Uint8Array;
}

export interface EdgeRange {
  after: number;
  upTo: number;
  maxPages: number;
  maxBytes: number;
}

/** Links of many pages stored together, in blocks that follow the order of their records. */
export interface EdgeRows {
  /** Records come in rising order. Stored by the next `flush`. */
  add(page: PackedPage): void;
  of(record: number): PackedPage | undefined;
  /** The pages that have links behind one record and up to another; `to` is less where they are too many or too large. */
  between(range: EdgeRange): { pages: PackedPage[]; to: number };
  /** Answers how many links went. */
  remove(record: number): number;
  /**
   * Replaces the links of pages in some of the next blocks behind a record. The given function answers a page with fewer
   * links, or undefined where it stays as it is. `to`: the last record of these blocks; undefined: there is none behind.
   */
  change(
    range: { after: number; blocks: number },
    work: (page: PackedPage) => PackedPage | undefined,
  ): { removed: number; to: number | undefined };
  flush(): void;
  reload(): void;
}

/** A block this large is written before its transaction ends, so that no reader has to hold much more. */
const fullBytes = 262_144;
const compressFrom = 256;
const quick = { params: { [constants.ZSTD_c_compressionLevel]: 1 }, chunkSize: 65_536 };

interface Block {
  last: number;
  /** JSON of record, count and bytes of each page in turn. */
  pages: string;
  size: number;
  data: Uint8Array;
}

export function edgeRows(db: Database): EdgeRows {
  const insert = db.prepare('INSERT INTO edge_blocks VALUES (?, ?, ?, ?)');
  const select = db.prepare('SELECT * FROM edge_blocks WHERE last >= ? ORDER BY last LIMIT 1');
  const erase = db.prepare('DELETE FROM edge_blocks WHERE last = ?');
  let waiting: PackedPage[] = [];
  let bytes = 0;

  function blockFrom(record: number): Block | undefined {
    return select.get(record) as Block | undefined;
  }

  function write(pages: PackedPage[]): void {
    const last = pages.at(-1);
    if (!last) return;
    const plain = Buffer.concat(pages.map(({ packed }) => packed));
    const small =
      plain.length < compressFrom
        ? plain
        : zstdCompressSync(plain, { ...quick, pledgedSrcSize: plain.length });
    const list = JSON.stringify(pages.flatMap(({ record, count, packed }) => [record, count, packed.length]));
    insert.run(last.record, list, plain.length, small.length < plain.length ? small : plain);
  }

  function flush(): void {
    write(waiting);
    waiting = [];
    bytes = 0;
  }

  return {
    add(page) {
      waiting.push(page);
      bytes += page.packed.length;
      if (bytes >= fullBytes) flush();
    },
    of(record) {
      const block = blockFrom(record);
      return block && pagesOf(block).find((page) => page.record === record);
    },
    between({ after, upTo, maxPages, maxBytes }) {
      const pages: PackedPage[] = [];
      let size = 0;
      for (let block = blockFrom(after + 1); block; block = blockFrom(block.last + 1)) {
        for (const page of pagesOf(block)) {
          if (page.record <= after) continue;
          if (page.record > upTo) return { pages, to: upTo };
          if (size >= maxBytes || pages.length >= maxPages)
            return { pages, to: pages.at(-1)?.record ?? upTo };
          size += page.packed.length;
          pages.push(page);
        }
      }
      return { pages, to: upTo };
    },
    remove(record) {
      flush();
      const block = blockFrom(record);
      const pages = block ? pagesOf(block) : [];
      const gone = pages.find((page) => page.record === record);
      if (!block || !gone) return 0;
      // Under the number of its new last page.
      erase.run(block.last);
      write(pages.filter((page) => page !== gone));
      return gone.count;
    },
    change({ after, blocks }, work) {
      flush();
      let removed = 0;
      let to: number | undefined;
      for (let n = 0; n < blocks; n++) {
        const block = blockFrom((to ?? after) + 1);
        if (!block) return { removed, to: undefined };
        to = block.last;
        const before = pagesOf(block);
        const pages = before.map((page) => work(page) ?? page);
        if (pages.every((page, i) => page === before[i])) continue;
        for (const [i, { count }] of before.entries()) removed += count - (pages[i]?.count ?? 0);
        erase.run(block.last);
        write(pages.filter(({ count }) => count > 0));
      }
      return { removed, to };
    },
    flush,
    reload() {
      waiting = [];
      bytes = 0;
    },
  };
}

function pagesOf({ pages, size, data }: Block): PackedPage[] {
  const plain = data.length < size ? zstdDecompressSync(data) : data;
  const list = JSON.parse(pages) as number[];
  const found: PackedPage[] = [];
  for (let i = 0, at = 0; i < list.length; i += 3) {
    const end = at + (list[i + 2] ?? 0);
    found.push({ record: list[i] ?? 0, count: list[i + 1] ?? 0, packed: plain.subarray(at, end) });
    at = end;
  }
  return found;
}
