import { expect, it } from 'vitest';
import { type ArchiveCheckStep, checkStep, isWarc } from './check-archive.ts';

const file = { bytes: 1_000, readAt: () => Promise.resolve(Buffer.alloc(0)) };
const found = (more: Partial<ArchiveCheckStep>): ArchiveCheckStep => ({
  records: 1,
  digests: 2,
  problems: [],
  soundUntil: 400,
  ...more,
});
const stepFrom = (from: number, more: Partial<ArchiveCheckStep>) =>
  checkStep(file, from, () => Promise.resolve(found(more)));

it('names where the check goes on, until the file is read', async () => {
  expect(await stepFrom(0, {})).toEqual({ ...found({}), next: 400 });
  expect(await stepFrom(400, { soundUntil: 1_000 })).not.toHaveProperty('next');
});

it('goes on behind a wrong digest, and ends where no record begins', async () => {
  const wrong = { text: 'WARC-Block-Digest is wrong', torn: false };
  expect(await stepFrom(0, { problems: [{ ...wrong, offset: 300 }] })).toMatchObject({ next: 400 });
  const broken = await stepFrom(0, { problems: [{ ...wrong, offset: 400 }] });
  expect(broken).not.toHaveProperty('next');
  // A check that comes no further must not be asked again for ever.
  expect(await stepFrom(400, {})).not.toHaveProperty('next');
});

it('tells of a bounded number of problems', async () => {
  const problems = Array.from({ length: 50 }, (_, offset) => ({ offset, text: 'x', torn: false }));
  expect((await stepFrom(0, { problems })).problems).toHaveLength(20);
});

it('takes WARC files alone for archives that can be checked', () => {
  expect(['archive/a.warc.gz', 'archive/a.warc', 'archive/index.cdxj', 'files/a.html'].map(isWarc)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
