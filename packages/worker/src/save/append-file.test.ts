import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGrowingBytes } from '../bytes/growing-bytes.ts';
import { AppendFile, type AppendHandle } from './append-file.ts';

/** A disk in memory that tears, refuses and forgets: only what was synced without error is kept. */
class BadDisk implements AppendHandle {
  written = Buffer.alloc(0);
  durable = Buffer.alloc(0);
  readonly #faults: Iterator<number>;

  constructor(faults: number[]) {
    this.#faults = faults[Symbol.iterator]();
  }

  #fault(): number {
    return (this.#faults.next().value as number | undefined) ?? 0;
  }

  async write(bytes: Buffer, from: number, length: number, position: number) {
    const fault = this.#fault();
    const fits = fault === 1 ? Math.floor(length / 2) : length;
    const whole = Buffer.alloc(Math.max(this.written.length, position + fits));
    this.written.copy(whole);
    bytes.copy(whole, position, from, from + fits);
    this.written = whole;
    if (fault === 2) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    return { bytesWritten: fits };
  }

  async datasync() {
    if (this.#fault() === 3) {
      // The worst kind: the error is told once and the data is gone.
      this.written = Buffer.from(this.durable);
      throw Object.assign(new Error('io'), { code: 'EIO' });
    }
    this.durable = Buffer.from(this.written);
  }

  async truncate(length: number) {
    if (this.#fault() === 4) throw Object.assign(new Error('io'), { code: 'EIO' });
    this.written = this.written.subarray(0, length);
  }

  async close() {}
}

describe('append file', () => {
  it('keeps the bytes of a body whose memory is given back before they are written', async () => {
    const disk = new BadDisk([]);
    const file = new AppendFile('x', disk, 0);
    const bytes = createGrowingBytes(1_000_000);
    bytes.add(Buffer.alloc(500_000, 'x'));
    file.append([bytes.take().subarray(0, 400_000)]);
    bytes.free();
    await file.sync();
    expect(disk.durable.equals(Buffer.alloc(400_000, 'x'))).toBe(true);
  });

  it('never acknowledges what is not durable, whatever the disk does', async () => {
    const step = fc.oneof(fc.constant('sync'), fc.string({ minLength: 1, maxLength: 8 }));
    await fc.assert(
      fc.asyncProperty(fc.array(step), fc.array(fc.nat(4), { maxLength: 12 }), async (steps, faults) => {
        const disk = new BadDisk(faults);
        const file = new AppendFile('x', disk, 0);
        let said = '';
        for (const one of steps) {
          if (one !== 'sync') {
            expect(file.append([Buffer.from(one, 'utf8')])).toBe(Buffer.byteLength(said));
            said += one;
            continue;
          }
          const ok = await file.sync().then(
            () => true,
            () => false,
          );
          if (ok) expect(disk.durable.toString()).toBe(said);
        }
        for (let i = 0; i < 20; i++) await file.sync().catch(() => {});
        expect(disk.durable.toString()).toBe(said);
        expect(file.pendingBytes).toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  it('covers what was appended during a sync by the next one', async () => {
    const disk = new BadDisk([]);
    const file = new AppendFile('x', disk, 0);
    file.append([Buffer.from('a')]);
    const first = file.sync();
    file.append([Buffer.from('b')]);
    const [second, third] = [file.sync(), file.sync()];
    await first;
    await Promise.all([second, third]);
    expect(disk.durable.toString()).toBe('ab');
  });
});
