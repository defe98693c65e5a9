import { describe, expect, test } from 'vitest';
import { zipOf } from '../documents.fixture.ts';
import { openZip } from './zip.ts';

const limits = { maxFileBytes: 1_000_000 };

describe('a zip archive', () => {
  const zip = zipOf([
    { name: 'a.xml', content: '<a/>'.repeat(100) },
    { name: 'b.txt', content: 'as it is', stored: true },
  ]);

  test('is read file by file, packed or not', async () => {
    const { read, has } = openZip(zip, limits);
    expect((await read('a.xml'))?.toString()).toBe('<a/>'.repeat(100));
    expect((await read('b.txt'))?.toString()).toBe('as it is');
    expect(await read('c')).toBeUndefined();
    expect([has('a.xml'), has('c')]).toEqual([true, false]);
  });

  test('is found in front of a comment', async () => {
    const commented = Buffer.concat([zip, Buffer.from('made by hand')]);
    expect((await openZip(commented, limits).read('b.txt'))?.toString()).toBe('as it is');
  });

  test('that would unpack to more than is allowed is not unpacked', async () => {
    const bomb = zipOf([
      { name: 'x', content: Buffer.alloc(50_000_000) },
      { name: 'y', content: Buffer.alloc(1_000_001), stored: true },
    ]);
    expect(bomb.length).toBeLessThan(1_200_000);
    const zipped = openZip(bomb, limits);
    const read = async (name: string) => (await zipped.read(name))?.length;
    await expect(read('x')).rejects.toThrow('x is larger than 1000000 bytes');
    await expect(read('y')).rejects.toThrow('y is larger than 1000000 bytes');
  });

  test('that is cut or damaged at any place is refused or read, and never hangs', async () => {
    for (let at = 0; at < zip.length; at++) {
      const damaged = Buffer.from(zip);
      damaged[at] = (damaged[at] ?? 0) ^ 0xff;
      for (const bytes of [damaged, zip.subarray(0, at)])
        try {
          await openZip(bytes, limits).read('a.xml');
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
    }
  });
});
