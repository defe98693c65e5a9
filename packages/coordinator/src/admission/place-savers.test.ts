import type { Storages } from '@webfarer/protocol/job';
import { expect, it } from 'vitest';
import { createJobGate } from './admit-job.ts';

const storages: Storages = {
  archive: { at: 's3://archive/crawls', s3: { endpoint: 'https://s3.example.org' }, teams: ['*'] },
  inside: {
    at: 's3://inside',
    s3: { endpoint: 'http://10.0.0.9:9000', allowPrivate: true },
    teams: ['press'],
  },
  shared: { at: 'file:///srv/crawls', teams: ['*'] },
};
const gateOf = (known: Storages) =>
  createJobGate({ resolve: (input) => Promise.resolve({ whole: input, from: undefined }) }, known);
const gate = gateOf(storages);
const by = (team = 'press', scope: 'operator' | 'admin' = 'operator') => ({ scope, team });
const job = (warc: object, more: object = {}) => ({
  name: 'x',
  seeds: ['https://a.example'],
  save: [{ warc }],
  ...more,
});

it('puts the place of a storage into the job of an operator that names it', async () => {
  await expect(gate.admit(job({ storage: 'archive', rotate: '500MB' }), by())).resolves.toMatchObject({
    save: [
      {
        warc: {
          storage: 'archive',
          rotate: '500MB',
          at: 's3://archive/crawls',
          s3: { endpoint: 'https://s3.example.org', allowPrivate: false },
        },
      },
    ],
  });
  await expect(gate.admit(job({ storage: 'inside' }), by())).resolves.toMatchObject({
    save: [{ warc: { s3: { endpoint: 'http://10.0.0.9:9000', allowPrivate: true } } }],
  });
  await expect(gate.admit(job({ storage: 'shared' }), by())).resolves.toEqual(
    job({ storage: 'shared', at: 'file:///srv/crawls' }),
  );
});

it('writes over what the sender says about the place', async () => {
  const wish = {
    storage: 'archive',
    at: 's3://elsewhere',
    s3: { endpoint: 'http://127.0.0.1', allowPrivate: true },
  };
  const { save } = (await gate.admit(job(wish), by())) as { save: [{ warc: object }] };
  expect(save[0].warc).toEqual({
    storage: 'archive',
    at: 's3://archive/crawls',
    s3: { endpoint: 'https://s3.example.org', allowPrivate: false },
  });
});

it('knows the storages of other teams for admins alone, and no places without a name', async () => {
  await expect(gate.admit(job({ storage: 'inside' }), by('web'))).rejects.toMatchObject({
    code: 'not-found',
    next: 'Storages for this team: archive, shared.',
  });
  await expect(gate.admit(job({ storage: 'inside' }), by('web', 'admin'))).resolves.toBeDefined();
  await expect(gate.admit(job({ storage: 'none' }), by())).rejects.toMatchObject({ code: 'not-found' });
  await expect(gateOf({}).admit(job({ storage: 'none' }), by())).rejects.toMatchObject({
    next: expect.stringContaining('--storages') as string,
  });
  const beside = {
    ...job({ storage: 'archive' }),
    save: [{ warc: { storage: 'archive' } }, { warc: { at: 's3://x-y' } }],
  };
  await expect(gate.admit(beside, by())).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining('save[].warc.at') as string,
  });
});

it('leaves a crawl where it was begun when its storage is gone', async () => {
  const before = await gate.admit(job({ storage: 'archive' }), by());
  const change = (more: object, known: Storages = {}) =>
    gateOf(known).admitChange({ before, after: { ...(before as object), ...more } }, by());
  await expect(change({ limits: { pages: 3 } })).resolves.toMatchObject({ limits: { pages: 3 } });
  await expect(change({ seeds: ['https://b.example'] })).rejects.toThrow('seeds[]');
  await expect(change({ seeds: ['https://b.example'] }, storages)).resolves.toBeDefined();
});
