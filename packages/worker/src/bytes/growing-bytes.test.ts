import { describe, expect, it } from 'vitest';
import { createGrowingBytes, lastingBytes } from './growing-bytes.ts';

const piecesOf = (body: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(body.length / size) }, (_, n) => body.subarray(n * size, (n + 1) * size));
const bodyOf = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, n) => (n * 31 + (n >> 8)) & 255));

describe('bytes that arrive in pieces', () => {
  it.each([0, 1, 1_000, 262_144, 262_145, 1_000_003])('come out as they went in: %i bytes', (length) => {
    const body = bodyOf(length);
    const bytes = createGrowingBytes(2_000_000);
    expect(piecesOf(body, 70_001).every((piece) => bytes.add(piece))).toBe(true);
    expect(bytes.length).toBe(length);
    expect(bytes.take().equals(body)).toBe(true);
  });

  it.each([100_000, 500_000])('are cut at the limit of %i', (limit) => {
    const body = bodyOf(600_000);
    const bytes = createGrowingBytes(limit);
    const whole = piecesOf(body, 70_001).map((piece) => bytes.add(piece));
    expect(whole.indexOf(false)).toBe(Math.floor(limit / 70_001));
    expect(bytes.take().equals(body.subarray(0, limit))).toBe(true);
  });

  it('are whole when they are exactly as long as the limit', () => {
    const bytes = createGrowingBytes(300_000);
    expect(bytes.add(Buffer.alloc(300_000, 1))).toBe(true);
    expect(bytes.take().length).toBe(300_000);
  });

  it('do not keep the pieces of a large body', () => {
    const piece = Buffer.alloc(300_000, 1);
    const bytes = createGrowingBytes(1_000_000);
    bytes.add(piece);
    piece.fill(2);
    expect(bytes.take().every((byte) => byte === 1)).toBe(true);
  });

  it('are gone when a large body is freed, unless they were made to last', () => {
    const bytes = createGrowingBytes(1_000_000);
    bytes.add(Buffer.alloc(300_000, 1));
    const [taken, lasting] = [bytes.take(), lastingBytes(bytes.take())];
    bytes.free();
    bytes.free();
    expect(taken.length).toBe(0);
    expect(lasting.equals(Buffer.alloc(300_000, 1))).toBe(true);
  });
});
