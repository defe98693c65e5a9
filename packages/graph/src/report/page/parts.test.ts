import { describe, expect, it } from 'vitest';
import type { Html } from '../markup/html.ts';
import { barList } from './parts.ts';

describe('bars', () => {
  const widths = (bars: Html) =>
    [...bars.html.matchAll(/<rect class="(?!none)\w+" width="([\d.]+)"/g)].map(([, width]) => Number(width));

  it('are as long as the shares beside them say', () => {
    const slices = [
      { label: 'a', value: 40 },
      { label: 'b', value: 10 },
    ];
    expect(widths(barList(slices, { whole: 200 }))).toEqual([20, 5]);
  });

  it('show what is left over as it is, also where it is more than all others', () => {
    const slices = Array.from({ length: 20 }, (_, i) => ({ label: String(i), value: 5 }));
    expect(widths(barList(slices, { max: 3 }))).toEqual([5.6, 5.6, 100]);
    expect(
      widths(
        barList([
          { label: 'a', value: 100_000 },
          { label: 'b', value: 1 },
        ]),
      ),
    ).toEqual([100, 0.6]);
  });
});
