import { describe, expect, it } from 'vitest';
import { edgeRows } from './edges.ts';
import { openDatabase } from '../schema.ts';

const page = (record: number, text = `links of ${record}`.repeat(record)) => ({
  record,
  count: record * 2,
  packed: Buffer.from(text),
});
const numbers = (pages: { record: number }[]) => pages.map(({ record }) => record);
const all = { upTo: 99, maxPages: 99, maxBytes: 1e9 };

function open() {
  const db = openDatabase(':memory:', false);
  const rows = edgeRows(db);
  const blocks = () => (db.prepare('SELECT count(*) AS n FROM edge_blocks').get() as { n: number }).n;
  return { rows, blocks };
}

describe('blocks of links', () => {
  it('hold what was added before a flush, small or large', () => {
    const { rows, blocks } = open();
    for (const record of [1, 3, 40]) rows.add(page(record));
    rows.flush();
    rows.add(page(41));
    rows.flush();
    rows.flush();
    expect(blocks()).toBe(2);
    for (const record of [1, 3, 40, 41])
      expect(Buffer.from(rows.of(record)?.packed ?? []).toString()).toBe(page(record).packed.toString());
    expect(rows.of(2)).toBeUndefined();
    expect(rows.of(42)).toBeUndefined();
    expect([0, 1, 39, 40, 41].map((after) => numbers(rows.between({ ...all, after }).pages))).toEqual([
      [1, 3, 40, 41],
      [3, 40, 41],
      [40, 41],
      [41],
      [],
    ]);
    const part = { after: 1, upTo: 40, maxPages: 99, maxBytes: 1e9 };
    expect(rows.between(part)).toMatchObject({ pages: [{ record: 3 }, { record: 40 }], to: 40 });
    expect(rows.between({ ...part, upTo: 39 })).toMatchObject({ pages: [{ record: 3 }], to: 39 });
    expect(rows.between({ ...part, maxBytes: 1 })).toMatchObject({ pages: [{ record: 3 }], to: 3 });
    expect(rows.between({ ...part, maxPages: 1 })).toMatchObject({ pages: [{ record: 3 }], to: 3 });
  });

  it('are written early when they are large', () => {
    const { rows, blocks } = open();
    for (const record of [1, 2, 3]) rows.add(page(record, 'x'.repeat(150_000)));
    expect(blocks()).toBe(1);
    rows.reload();
    rows.flush();
    expect(numbers(rows.between({ ...all, after: 0 }).pages)).toEqual([1, 2]);
  });

  it('lose single pages, whose numbers may come again', () => {
    const { rows } = open();
    for (const record of [5, 6, 7]) rows.add(page(record));
    expect(rows.remove(7)).toBe(14);
    expect(rows.remove(7)).toBe(0);
    rows.add(page(7, 'new'));
    expect(rows.remove(5)).toBe(10);
    expect(numbers(rows.between({ ...all, after: 0 }).pages)).toEqual([6, 7]);
    expect(Buffer.from(rows.of(7)?.packed ?? []).toString()).toBe('new');
    expect(rows.remove(6)).toBe(12);
    expect(numbers(rows.between({ ...all, after: 0 }).pages)).toEqual([7]);
  });
});
