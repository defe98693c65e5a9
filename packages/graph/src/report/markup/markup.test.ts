import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Budget } from './budget.ts';
import { bytes, count, moment, percent, plural, span, took } from './format.ts';
import { escapeHtml, html, join, trusted } from './html.ts';

describe('html', () => {
  it('lets no value out of text or a quoted attribute', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const escaped = escapeHtml(text);
        expect(escaped).not.toMatch(/[<>"'`]/);
        expect(escaped).not.toMatch(/&(?!(?:amp|lt|gt|quot|#39|#96);)/);
        expect(escaped.isWellFormed()).toBe(true);
      }),
    );
  });

  it('loses nothing of ordinary text', () => {
    const back: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#96': '`' };
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        const read = escapeHtml(text).replace(/&([^;]+);/g, (_, name: string) => back[name] ?? '?');
        expect(read).toBe(text);
      }),
    );
  });

  it('drops what would turn the direction of the text around it', () => {
    expect(escapeHtml('a\u202eb\u2066c\u200ed\ufeffe')).toBe('abcde');
    expect(escapeHtml('line\nbreak\u0000\u2028end')).toBe('line break  end');
    expect(escapeHtml('\ud800')).toBe('\ufffd');
  });

  it('escapes values once and leaves html as it is', () => {
    const inner = html`<b>${'<i>'}</b>`;
    expect(html`<p title="${'"x"'}">${inner}${[inner, inner]}${7}${undefined}${false}</p>`.html).toBe(
      '<p title="&quot;x&quot;"><b>&lt;i&gt;</b><b>&lt;i&gt;</b><b>&lt;i&gt;</b>7</p>',
    );
    expect(join([trusted('<hr>'), inner]).html).toBe('<hr><b>&lt;i&gt;</b>');
  });
});

describe('figures', () => {
  it('name one thing in the singular', () => {
    expect([plural(1, 'page'), plural(0, 'page'), plural(2, 'copy', 'copies')]).toEqual([
      '1 page',
      '0 pages',
      '2 copies',
    ]);
    expect(count(1_234_567)).toBe('1,234,567');
  });

  it('never show a thousand of a smaller unit', () => {
    expect([0, 999, 999.6, 1_000, 999_499, 999_500, 1_250_000].map(bytes)).toEqual([
      '0 B',
      '999 B',
      '1 kB',
      '1 kB',
      '999 kB',
      '1 MB',
      '1.3 MB',
    ]);
    fc.assert(
      fc.property(fc.nat(Number.MAX_SAFE_INTEGER), (value) => {
        expect(bytes(value)).toMatch(/^(\d{1,3}|\d{1,2}\.\d) ([kMGTP]?B)$|^\d{4} PB$/);
      }),
    );
  });

  it('tell times in their two largest units', () => {
    expect([59_400, 60_000, 3_661_000, 47 * 3_600_000, 49 * 3_600_000].map(span)).toEqual([
      '59 s',
      '1 min',
      '1 h 1 min',
      '47 h',
      '2 d 1 h',
    ]);
    expect([12, 1_234, 12_345, 123_456].map(took)).toEqual(['12 ms', '1.23 s', '12.3 s', '2 min 3 s']);
    expect(moment(Date.UTC(2025, 0, 2, 3, 4, 5, 678))).toBe('2025-01-02 03:04:05 UTC');
  });

  it('never round a part to nothing or nothing to a part', () => {
    expect([percent(0, 0), percent(0, 9), percent(1, 100_000), percent(1, 30), percent(1, 3)]).toEqual([
      '0 %',
      '0 %',
      '< 0.1 %',
      '3.3 %',
      '33 %',
    ]);
  });
});

describe('budget', () => {
  it('is never passed, whoever takes from it, and leaves something for the last', () => {
    const pieces = fc.array(fc.record({ html: fc.string({ unit: 'grapheme' }) }), { maxLength: 30 });
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), fc.nat(2_000), (takers, size) => {
        const budget = new Budget(size);
        let used = 0;
        for (const wanted of takers) {
          const before = size - used;
          const kept = budget.take(wanted, 0.5);
          expect(wanted.slice(0, kept.length)).toEqual(kept);
          const own = kept.reduce((sum, piece) => sum + Buffer.byteLength(piece.html), 0);
          expect(own).toBeLessThanOrEqual(before / 2);
          const next = wanted[kept.length];
          if (next) expect(own + Buffer.byteLength(next.html)).toBeGreaterThan(before / 2);
          used += own;
        }
      }),
    );
  });
});
