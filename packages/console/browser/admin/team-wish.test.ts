import { expect, it } from 'vitest';
import { fieldsOf, wishIn } from './team-wish.ts';

it('shows quotas as they are typed, and reads them back', () => {
  const quotas = { crawls: 3, seedBytes: 2_500_000, pagesPerDay: 0, bytesPerMonth: 1_500_000_000 };
  const fields = fieldsOf(0.5, quotas);
  expect(fields).toEqual({
    weight: '0.5',
    crawls: '3',
    seedBytes: '2.5',
    pagesPerDay: '0',
    pagesPerMonth: '',
    bytesPerDay: '',
    bytesPerMonth: '1.5',
  });
  expect(wishIn(fields)).toEqual({ weight: 0.5, quotas });
});

it('takes an empty field for no quota and nothing else', () => {
  const fields = fieldsOf(1, { pagesPerDay: 10 });
  expect(wishIn({ ...fields, pagesPerDay: ' ' })).toEqual({ weight: 1, quotas: {} });
  expect(wishIn({ ...fields, bytesPerDay: '0,25' })?.quotas.bytesPerDay).toBe(250_000_000);
  for (const text of ['-1', 'ten', '1e9', '1.000.000', '999999999999999999'])
    expect(wishIn({ ...fields, pagesPerDay: text })).toBeUndefined();
  for (const weight of ['', '0', '1001']) expect(wishIn({ ...fields, weight })).toBeUndefined();
});
