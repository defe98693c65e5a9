import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprinter } from './fingerprint.ts';

const mask = (1n << 64n) - 1n;
const rotate = (x: bigint, by: bigint) => ((x << by) | (x >> (64n - by))) & mask;

/** SipHash straight from its paper, on bigints; `c` rounds a block and `d` at the end. */
function sipHash(key: Uint8Array, data: Uint8Array, [c, d]: [number, number]): bigint {
  const read = (bytes: Uint8Array, at: number) =>
    bytes.slice(at, at + 8).reduce((sum, byte, i) => sum | (BigInt(byte) << BigInt(8 * i)), 0n);
  const [k0, k1] = [read(key, 0), read(key, 8)];
  const v = [
    k0 ^ 0x736f6d6570736575n,
    k1 ^ 0x646f72616e646f6dn,
    k0 ^ 0x6c7967656e657261n,
    k1 ^ 0x7465646279746573n,
  ];
  const mix = (a: number, b: number, by: bigint) => {
    v[a] = ((v[a] ?? 0n) + (v[b] ?? 0n)) & mask;
    v[b] = rotate(v[b] ?? 0n, by) ^ (v[a] ?? 0n);
  };
  const round = () => {
    mix(0, 1, 13n);
    v[0] = rotate(v[0] ?? 0n, 32n);
    mix(2, 3, 16n);
    mix(0, 3, 21n);
    mix(2, 1, 17n);
    v[2] = rotate(v[2] ?? 0n, 32n);
  };
  const absorb = (word: bigint) => {
    v[3] = (v[3] ?? 0n) ^ word;
    for (let i = 0; i < c; i++) round();
    v[0] = (v[0] ?? 0n) ^ word;
  };
  const whole = data.length - (data.length % 8);
  for (let i = 0; i < whole; i += 8) absorb(read(data, i));
  absorb(read(data, whole) | (BigInt(data.length & 0xff) << 56n));
  v[2] = (v[2] ?? 0n) ^ 0xffn;
  for (let i = 0; i < d; i++) round();
  return v.reduce((a, b) => a ^ b, 0n);
}

const key = Uint8Array.from({ length: 16 }, (_, i) => i);

describe('fingerprints', () => {
  it('the reference in this test gives the value of the paper', () => {
    const data = Uint8Array.from({ length: 15 }, (_, i) => i);
    expect(sipHash(key, data, [2, 4])).toBe(0xa129ca6149be45e5n);
  });

  it('are SipHash-1-3 of the UTF-8 bytes, signed', () => {
    const fingerprint = fingerprinter(key);
    const texts = fc.oneof(
      fc.string({ maxLength: 80 }),
      fc.array(fc.constantFrom('é', 'ツ', '😀', '\0', 'a'), { maxLength: 20 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const bytes = new TextEncoder().encode(text);
        return fingerprint(text) === BigInt.asIntN(64, sipHash(key, bytes, [1, 3]));
      }),
      { numRuns: 500 },
    );
  });

  it('are the same without a bigint', () => {
    const fingerprint = fingerprinter(key);
    const halves = new Int32Array(2);
    fingerprint.into('https://example.org/', halves);
    expect(new BigInt64Array(halves.buffer)[0]).toBe(fingerprint('https://example.org/'));
  });

  it('depend on the secret, which has 16 bytes at least', () => {
    const other = key.map((byte) => byte ^ 1);
    expect(fingerprinter(other)('https://example.org/')).not.toBe(fingerprinter(key)('https://example.org/'));
    expect(() => fingerprinter(key.subarray(1))).toThrow(RangeError);
  });

  it('read a secret that is part of a larger buffer', () => {
    const larger = new Uint8Array([9, 9, 9, ...key, 9]);
    expect(fingerprinter(larger.subarray(3))('x')).toBe(fingerprinter(key)('x'));
  });

  it('do not collide among 200,000 URLs that differ little', () => {
    const fingerprint = fingerprinter(key);
    const seen = new Set<bigint>();
    for (let i = 0; i < 200_000; i++) seen.add(fingerprint(`https://example.org/page/${i}`));
    expect(seen.size).toBe(200_000);
  });
});
