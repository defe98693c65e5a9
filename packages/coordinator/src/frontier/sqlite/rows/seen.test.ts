import type { Url } from '@webfarer/protocol';
import { type Fingerprinter, fingerprinter } from '@webfarer/protocol/url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyFilter } from '../prints/filter.ts';
import { openDatabase } from '../schema.ts';
import { type SeenRows, seenRows } from './seen.ts';

const small = { table: 16, tail: 5, runsPerLevel: 2, pace: 3, kept: 7, recent: 4 };
const print = fingerprinter(new Uint8Array(16).fill(1));

/** Fingerprints that agree in one half or the other far too often: what a table must not mix up. */
const clashing: Fingerprinter = Object.assign(() => 0n, {
  into(url: string, out: Int32Array) {
    const n = Number(url);
    out[0] = Math.floor(n / 7) * 0x1000_0001;
    out[1] = (n % 7) - 3;
  },
});

function know(seen: SeenRows, by: Fingerprinter, { url, entry }: { url: string; entry: number }): void {
  expect(seen.find(by, url as Url)).toBe(0);
  seen.addLast(entry);
  expect(seen.find(by, url as Url)).toBe(entry);
}

describe('the seen set', () => {
  it('knows exactly what it was told, through folds, merges and restarts', () => {
    const db = openDatabase(':memory:', false);
    let seen = seenRows(db, { sizes: small });
    for (let n = 1; n <= 20_000; n++) {
      know(seen, print, { url: `u${n}`, entry: n });
      if (n % 7 === 0) seen.flush();
      if (n % 2003 === 0) {
        seen.flush();
        seen = seenRows(db, { sizes: small });
      }
    }
    seen.flush();
    const reader = seenRows(db, { readOnly: true });
    for (let n = 1; n <= 20_000; n += 3) {
      expect(seen.find(print, `u${n}` as Url)).toBe(n);
      expect(reader.find(print, `u${n}` as Url)).toBe(n);
    }
    for (let n = 0; n < 20_000; n++) expect(seen.find(print, `v${n}` as Url)).toBe(0);
    db.close();
  });

  it('keeps fingerprints apart that share a half', () => {
    const db = openDatabase(':memory:', false);
    const seen = seenRows(db, { sizes: small });
    const order = Array.from({ length: 3000 }, (_, n) => (n * 1999) % 3000);
    for (const n of order) {
      know(seen, clashing, { url: String(n), entry: n + 1 });
      if (n % 5 === 0) seen.flush();
    }
    for (const n of order) expect(seen.find(clashing, String(n) as Url)).toBe(n + 1);
    for (let n = 3000; n < 6000; n++) expect(seen.find(clashing, String(n) as Url)).toBe(0);
    db.close();
  });

  it('forgets what was not committed', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(30), fc.boolean()), { maxLength: 12 }), (batches) => {
        const db = openDatabase(':memory:', false);
        const seen = seenRows(db, { sizes: small });
        const known = new Map<string, number>();
        let entry = 0;
        for (const [count, kept] of batches) {
          db.exec('BEGIN');
          const fresh: [string, number][] = [];
          for (let i = 0; i < count; i++) {
            entry++;
            const url = `u${entry}`;
            know(seen, print, { url, entry });
            fresh.push([url, entry]);
          }
          seen.flush();
          db.exec(kept ? 'COMMIT' : 'ROLLBACK');
          if (kept) for (const [url, n] of fresh) known.set(url, n);
          else seen.reload();
        }
        for (let n = 1; n <= entry; n++) {
          expect(seen.find(print, `u${n}` as Url)).toBe(known.get(`u${n}`) ?? 0);
        }
        db.close();
      }),
      { numRuns: 60 },
    );
  });

  it('takes more in one transaction than its table holds', () => {
    const db = openDatabase(':memory:', false);
    const seen = seenRows(db, { sizes: small });
    for (let n = 1; n <= 500; n++) know(seen, print, { url: `u${n}`, entry: n });
    seen.flush();
    for (let n = 1; n <= 500; n++) expect(seen.find(print, `u${n}` as Url)).toBe(n);
    db.close();
  });
});

describe('its filter', () => {
  it('never says no to what it holds, and seldom yes to what it does not', () => {
    const filter = emptyFilter(10_000);
    const halves = new Int32Array(2);
    const ask = (url: string) => {
      print.into(url, halves);
      return [halves[1] as number, halves[0] as number] as const;
    };
    for (let n = 0; n < 10_000; n++) filter.add(...ask(`in${n}`));
    let wrong = 0;
    for (let n = 0; n < 10_000; n++) {
      expect(filter.mayHave(...ask(`in${n}`))).toBe(true);
      if (filter.mayHave(...ask(`out${n}`))) wrong++;
    }
    expect(wrong).toBeLessThan(60);
  });
});
