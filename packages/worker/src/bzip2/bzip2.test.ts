import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OutOfBits } from './bits.ts';
import { bunzip2, Bzip2Damage } from './decode.ts';
import { bzip2, bzip2Sync } from './encode.ts';

/** Bytes without any pattern, the same in every run. */
function noise(length: number): Buffer {
  const pieces: Buffer[] = [];
  for (let i = 0; i * 32 < length; i++) pieces.push(createHash('sha256').update(`${i}`).digest());
  return Buffer.concat(pieces).subarray(0, length);
}

const contents: Record<string, Buffer> = {
  nothing: Buffer.alloc(0),
  'one byte': Buffer.from('a'),
  'every byte': Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
  'runs of 3, 4, 5, 255 and 256': Buffer.from([3, 4, 5, 255, 256].map((n) => `${'x'.repeat(n)}y`).join('')),
  'a long run': Buffer.alloc(700_000),
  'a block that repeats itself': Buffer.from('ab'.repeat(60_000)),
  'several blocks without a pattern': noise(250_000),
  'a page': Buffer.from('<li><a href="/products/17">Produkt für alle</a></li>\n'.repeat(900)),
};
const tool = (args: string[], input: Buffer): Buffer =>
  execFileSync('bzip2', args, { input, maxBuffer: 1e8, stdio: ['pipe', 'pipe', 'pipe'] });

describe.each(Object.entries(contents))('bzip2 of %s', (_, plain) => {
  it('is read by bzip2, and by our decoder to its end', async () => {
    const packed = await bzip2(plain);
    expect(tool(['-dc'], packed).equals(plain)).toBe(true);
    const found = bunzip2(Buffer.concat([packed, packed]));
    expect(found.plain.equals(plain)).toBe(true);
    expect(found.consumed).toBe(packed.length);
  });

  it('is hardly larger than what bzip2 makes of it, which our decoder reads too', async () => {
    const theirs = tool(['-1c'], plain);
    expect((await bzip2(plain)).length).toBeLessThanOrEqual(theirs.length * 1.02 + 16);
    expect(bunzip2(theirs).plain.equals(plain)).toBe(true);
    expect(bunzip2(tool(['-9c'], plain)).plain.equals(plain)).toBe(true);
  });
});

it('packs at once what fits a block, and refuses more', () => {
  expect(bunzip2(bzip2Sync(Buffer.from('x'))).plain.toString()).toBe('x');
  expect(() => bzip2Sync(noise(200_000))).toThrow(RangeError);
});

it('gets back whatever was packed', async () => {
  const letters = fc.array(fc.constantFrom(97, 97, 98, 99), { maxLength: 3_000 });
  await fc.assert(
    fc.asyncProperty(fc.oneof(letters, fc.array(fc.integer({ min: 0, max: 255 }))), async (list) => {
      const plain = Buffer.from(list);
      expect(bunzip2(await bzip2(plain)).plain.equals(plain)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

it('never takes damage for content, and notices every missing byte', async () => {
  const plain = Buffer.from('a small page, a small page'.repeat(4));
  const packed = await bzip2(plain);
  let refused = 0;
  for (let bit = 0; bit < packed.length * 8; bit++) {
    const wrong = Buffer.from(packed);
    wrong[bit >> 3] = (wrong[bit >> 3] ?? 0) ^ (0x80 >> (bit & 7));
    // Some bits, such as those of a table that no symbol uses, change nothing.
    try {
      expect(bunzip2(wrong).plain.equals(plain)).toBe(true);
    } catch (error) {
      if (!(error instanceof Bzip2Damage) && !(error instanceof OutOfBits)) throw error;
      refused += 1;
    }
  }
  expect(refused).toBeGreaterThan(packed.length * 6);
  for (let end = 0; end < packed.length; end++) {
    expect(() => bunzip2(packed.subarray(0, end))).toThrow(OutOfBits);
  }
  expect(() => bunzip2(Buffer.from('not bzip2'))).toThrow(Bzip2Damage);
});
