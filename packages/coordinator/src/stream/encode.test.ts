import { expect, it } from 'vitest';
import { createEncode } from './encode.ts';
import type { SourceFrame } from './source.ts';

it('encodes a frame once for all subscriptions, each with its own id', () => {
  let reads = 0;
  const set = {
    get secret() {
      reads++;
      return 'a "quoted" \u2028 line';
    },
  };
  const frame: SourceFrame = { type: 'delta', set, removed: [], token: 't' };
  const encode = createEncode();
  const texts = [1, 2, 2_147_483_647].map((id) => encode(frame, id));
  expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual(
    [1, 2, 2_147_483_647].map((id) => ({ ...frame, set: { secret: 'a "quoted" \u2028 line' }, id })),
  );
  expect(reads).toBeLessThanOrEqual(2);
});
