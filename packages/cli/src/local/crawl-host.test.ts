import { systemClock } from '@webfarer/protocol';
import { headless } from '@webfarer/coordinator';
import { expect, it } from 'vitest';
import { crawlHost } from './local-crawl.ts';

const host = crawlHost({
  baseFolder: '.',
  clock: systemClock(),
  listens: true,
  intake: (parts) => headless.intake(parts),
  ownCode: false,
  store: undefined,
  withoutOutputs: true,
});
const crawl = { id: 'x', nonce: 'n' };
const seeds = ['https://shop.example/'];
/** What an earlier version took, and this one does not. */
const scope = { exclude: [{ regex: 'a(?=b)' }] };

it('finds what a crawl has in object storage although its job cannot be run any more', async () => {
  expect(() => host.resolve({ seeds, scope })).toThrow('lookahead');
  expect(await host.objectsOf({ ...crawl, job: { seeds, scope, save: ['warc'] } })).toBeUndefined();
});

it('does not guess where objects are', async () => {
  const save = [{ cloud: {} }];
  await expect(host.objectsOf({ ...crawl, job: { seeds, save } })).rejects.toMatchObject({
    code: 'job-invalid',
  });
});
