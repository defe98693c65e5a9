import type { Clock } from '@webfarer/protocol';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { takePictures } from './pictures.ts';

/** As much of a page as pictures are made with. */
function pageWith(parts: Partial<Record<'screenshot' | 'pdf', () => Promise<Buffer>>>): Page {
  return parts as unknown as Page;
}

/** Every wait is over at once, and takes its time. */
function hurriedClock(): Clock {
  let nowMs = 0;
  return {
    now: () => nowMs,
    sleep(ms) {
      nowMs += ms;
      return Promise.resolve();
    },
  };
}
/** Waits never end. */
const patientClock: Clock = { now: () => 0, sleep: () => new Promise(() => undefined) };
const small = () => Promise.resolve(Buffer.alloc(10));

it('leaves out what is not made in time, and what would come after it', async () => {
  const page = pageWith({ screenshot: () => new Promise(() => undefined), pdf: small });
  expect(await takePictures(page, ['view', 'pdf'], hurriedClock())).toEqual({
    pictures: [],
    missing: [
      { kind: 'view', why: 'not made within 10000 ms' },
      { kind: 'pdf', why: 'not made within 10000 ms' },
    ],
  });
});

it('leaves out what fails or is too large, and keeps the others', async () => {
  const page = pageWith({ screenshot: () => Promise.resolve(Buffer.alloc(8_388_609)), pdf: small });
  const { pictures, missing } = await takePictures(page, ['view', 'thumbnail', 'pdf'], patientClock);
  expect(pictures.map(({ kind }) => kind)).toEqual(['pdf']);
  expect(missing.map(({ kind }) => kind)).toEqual(['view', 'thumbnail']);
  expect(missing[0]?.why).toBe('8388609 bytes, more than 8388608');
});

it('asks nothing of a page whose pictures nobody wants', async () => {
  expect(await takePictures(pageWith({}), [], patientClock)).toEqual({ pictures: [], missing: [] });
});
