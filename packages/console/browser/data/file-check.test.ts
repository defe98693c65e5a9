import type { ArchiveCheck } from '@webfarer/protocol/api';
import { expect, it } from 'vitest';
import { checkWhole, type FileVerdict, outcomeFor, outcomeKey } from './file-check.ts';

const step = (more: Partial<ArchiveCheck>): ArchiveCheck => ({
  bytes: 300,
  records: 2,
  digests: 3,
  soundUntil: 100,
  problems: [],
  ...more,
});

async function checked(steps: ArchiveCheck[], stopAfter = Number.POSITIVE_INFINITY) {
  const [asked, told]: [number[], FileVerdict[]] = [[], []];
  const abort = new AbortController();
  const verdict = await checkWhole(
    (from) => {
      asked.push(from);
      if (asked.length >= stopAfter) abort.abort();
      return Promise.resolve(steps[asked.length - 1] ?? step({}));
    },
    { signal: abort.signal, tell: (so) => void told.push(so) },
  );
  return { verdict, asked, told };
}

it('adds up all steps of a file', async () => {
  const { verdict, asked, told } = await checked([step({ next: 100 }), step({ soundUntil: 300 })]);
  expect(verdict).toEqual({ is: 'valid', records: 4, digests: 6, bytes: 300 });
  expect(asked).toEqual([0, 100]);
  expect(told[0]).toEqual({ is: 'checking', share: 1 / 3 });
});

it('says where the first damage is, and tells a file that is being written from a damaged one', async () => {
  const damage = { offset: 120, text: 'WARC-Block-Digest is wrong', torn: false };
  const damaged = await checked([step({ next: 100 }), step({ problems: [damage], next: 200 })]);
  expect(damaged.verdict).toEqual({ is: 'damaged', offset: 120, what: damage.text, bytes: 300 });
  const torn = await checked([step({ problems: [{ ...damage, torn: true }] })]);
  expect(torn.verdict).toEqual({ is: 'torn', records: 2, bytes: 300 });
});

it('does not call a file intact that was not read to its end', async () => {
  const { verdict } = await checked([step({ next: 100 }), step({ soundUntil: 300 })], 1);
  expect(verdict).toEqual({ is: 'stopped', share: 1 / 3 });
});

it('keeps an outcome for as long as the file is unchanged, and none of a check that did not end', () => {
  const file = { path: 'archive/a.warc.gz', bytes: 300, changedAtMs: 7 };
  const valid: FileVerdict = { is: 'valid', records: 4, digests: 6, bytes: 300 };
  expect(outcomeFor(file, valid)).toBe(valid);
  expect(outcomeFor(file, { ...valid, bytes: 301 })).toBeUndefined();
  expect(outcomeFor(file, { is: 'stopped', share: 1 })).toBeUndefined();
  const key = JSON.stringify(outcomeKey('a', file));
  const others = [{ path: 'archive/b.warc.gz' }, { bytes: 301 }, { changedAtMs: 8 }];
  for (const other of others) expect(JSON.stringify(outcomeKey('a', { ...file, ...other }))).not.toBe(key);
  expect(JSON.stringify(outcomeKey('b', file))).not.toBe(key);
});
