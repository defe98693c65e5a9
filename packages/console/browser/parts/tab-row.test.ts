import { expect, it } from 'vitest';
import { moreIn } from './tab-row.tsx';

it('says on which sides there are tabs out of sight', () => {
  const row = { scrollWidth: 500, clientWidth: 300 };
  expect(moreIn({ ...row, scrollLeft: 0 })).toBe('after');
  expect(moreIn({ ...row, scrollLeft: 100 })).toBe('before after');
  expect(moreIn({ ...row, scrollLeft: 199.6 })).toBe('before');
  expect(moreIn({ scrollWidth: 300, clientWidth: 300, scrollLeft: 0 })).toBe('');
});
