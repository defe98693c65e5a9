import fc from 'fast-check';
import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { reusableCoder } from './reusable-coder.ts';

const roomBytes = 4_096;
const room = Buffer.alloc(roomBytes);
const bodies = fc.uint8Array({ maxLength: roomBytes - 1 }).map((bytes) => Buffer.from(bytes));

describe('one stream for many inputs', () => {
  it('decodes each as a new stream would, with faulty and long ones in between', () => {
    const gunzip = reusableCoder(() => zlib.createGunzip());
    const spoil = fc.constantFrom('whole', 'cut', 'garbage', 'long', 'other bytes');
    fc.assert(
      fc.property(fc.array(fc.tuple(bodies, spoil), { minLength: 1, maxLength: 8 }), (all) => {
        for (const [body, how] of all) {
          const packed = zlib.gzipSync(how === 'long' ? Buffer.alloc(roomBytes, 'page ') : body);
          if (how === 'cut') expect(gunzip.code(packed.subarray(0, -1), room)).toBeUndefined();
          else if (how === 'garbage')
            expect(gunzip.code(Buffer.concat([packed, Buffer.from('x'), body]), room)).toBeUndefined();
          else if (how === 'long') expect(gunzip.code(packed, room)).toBeUndefined();
          else if (how === 'other bytes') expect(gunzip.code(Buffer.from('<html>'), room)).toBeUndefined();
          else {
            const length = gunzip.code(packed, room);
            expect(length).toBe(body.length);
            expect(room.subarray(0, length).equals(body)).toBe(true);
          }
        }
      }),
    );
  });

  it('writes what a new stream would write', () => {
    const options = { level: 2, windowBits: 13, memLevel: 6 };
    const deflate = reusableCoder(() => zlib.createDeflateRaw(options));
    const { Z_FINISH, Z_SYNC_FLUSH } = zlib.constants;
    fc.assert(
      fc.property(bodies, fc.constantFrom(Z_FINISH, Z_SYNC_FLUSH), (body, finishFlush) => {
        const plain = body.subarray(0, roomBytes / 2);
        const length = deflate.code(plain, room, finishFlush);
        const expected = zlib.deflateRawSync(plain, { ...options, finishFlush });
        expect(room.subarray(0, length).equals(expected)).toBe(true);
      }),
    );
  });

  it('is created once', () => {
    let created = 0;
    const inflate = reusableCoder(() => {
      created += 1;
      return zlib.createInflate();
    });
    for (let n = 0; n < 10; n++) expect(inflate.code(zlib.deflateSync(`page ${n}`), room)).toBe(6);
    expect(created).toBe(1);
    inflate.code(Buffer.from('no zlib at all'), room);
    expect(inflate.code(zlib.deflateSync('after'), room)).toBe(5);
    expect(created).toBe(2);
  });
});
