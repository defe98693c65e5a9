import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CrawlId, systemClock, type Url, WebfarerError } from '@webfarer/protocol';
import { createMetrics } from '@webfarer/protocol/metrics';
import { type RequestSecrets, resolveJob } from '@webfarer/protocol/job';
import type { LinkCrawl } from '@webfarer/protocol/link';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newPrivateKey, signingKey } from '../identity/signing-key.ts';
import { ownCrawlFolders } from './crawl-folders.ts';
import { createWorkerCrawls, type WorkerCrawls, type WorkerCrawlsOptions } from './worker-crawls.ts';

let folder: string;
let nowMs: number;
let unable: string[];
let left: string[];
let crawls: WorkerCrawls;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-worker-crawls-'));
  nowMs = 1_000;
  unable = [];
  left = [];
  crawls = open();
});
afterEach(async () => {
  await crawls.closeAll();
  rmSync(folder, { recursive: true, force: true });
});

function open(changes: Partial<WorkerCrawlsOptions> = {}): WorkerCrawls {
  return createWorkerCrawls({
    browser: () => Promise.resolve(undefined),
    typedText: () => undefined,
    captureStore: undefined,
    metrics: createMetrics({ clock: systemClock() }),
    version: '0',
    folders: ownCrawlFolders(folder),
    prepareFolder: () => Promise.resolve(),
    baseFolder: folder,
    member: undefined,
    process: undefined,
    indexed: false,
    consent: undefined,
    spool: undefined,
    askSecrets: () => Promise.reject(new Error('not asked for')),
    hooks: () => ({}),
    signingKey: () => undefined,
    accounts: undefined,
    clock: { now: () => nowMs, wall: () => nowMs, sleep: () => new Promise(() => undefined) },
    withoutAny: 'wait',
    blocked: () => undefined,
    unable: ({ id }) => void unable.push(id),
    leave: async (id) => void left.push(id),
    check: () => Promise.resolve(),
    changed: () => undefined,
    ...changes,
  });
}

function crawl(name: string, changes: Partial<LinkCrawl> & { job?: never } = {}, ca?: string): LinkCrawl {
  const seeds = ['http://a.test/' as Url];
  const fetch = ca === undefined ? {} : { fetch: { ca } };
  return {
    id: name as CrawlId,
    nonce: `${name}-nonce`,
    revision: '1',
    job: resolveJob({ name, seeds, save: ['none'], ...fetch }),
    seeds,
    userAgent: 't',
    urlsPerHost: 1,
    state: 'running',
    ...changes,
  };
}

const opened = () => crawls.all().map(({ about }) => about.id);

it('leaves out a crawl that it cannot open, and tries again after a while or when its job changes', async () => {
  const bad = crawl('bad', {}, 'missing.pem');
  await crawls.adopt([bad, crawl('good')]);
  expect([opened(), unable]).toEqual([['good'], ['bad']]);
  expect(crawls.unable()).toMatchObject([{ crawl: 'bad', code: 'job-invalid' }]);
  writeFileSync(join(folder, 'missing.pem'), '');
  await crawls.adopt([bad, crawl('good')]);
  expect([opened(), crawls.retryDue()]).toEqual([['good'], false]);
  nowMs += 60_000;
  expect(crawls.retryDue()).toBe(true);
  await crawls.adopt([bad, crawl('good')]);
  expect([opened(), crawls.unable(), crawls.retryDue()]).toEqual([['good', 'bad'], undefined, false]);

  const other = crawl('bad', { revision: '2' }, 'other.pem');
  await crawls.adopt([other, crawl('good')]);
  expect([opened(), unable]).toEqual([['good'], ['bad', 'bad']]);
  writeFileSync(join(folder, 'other.pem'), '');
  await crawls.adopt([{ ...other, revision: '3' }, crawl('good')]);
  expect(opened()).toEqual(['good', 'bad']);
});

it('reports the same reason once, and forgets a crawl that it is told of no more', async () => {
  const bad = crawl('bad', {}, 'missing.pem');
  for (let i = 0; i < 3; i++, nowMs += 60_000) await crawls.adopt([bad]);
  expect([unable, crawls.unable()?.length]).toEqual([['bad'], 1]);
  await crawls.adopt([]);
  expect(crawls.unable()).toBeUndefined();
});

it('lets go of a crawl on which the work has failed, and keeps the others', async () => {
  await crawls.adopt([crawl('a'), crawl('b')]);
  await crawls.giveUp('a' as CrawlId, new Error('the saver broke'));
  await crawls.adopt([crawl('a'), crawl('b')]);
  expect([opened(), left]).toEqual([['b'], ['a']]);
  expect(crawls.unable()).toEqual([{ crawl: 'a', code: 'internal', message: 'the saver broke' }]);
});

it('fails with the reason where it has no other crawl and a person waits for this one', async () => {
  crawls = open({ withoutAny: 'fail' });
  await expect(crawls.adopt([crawl('bad', {}, 'missing.pem')])).rejects.toThrow('cannot read fetch.ca');
  await crawls.adopt([crawl('bad', {}, 'missing.pem'), crawl('good')]);
  expect(opened()).toEqual(['good']);
});

it('leaves out a crawl that reads pages with an account, and says where it can run', async () => {
  const login = [{ site: 'a.test', as: 'alice', check: { selector: 'a.me' } }];
  const { job, ...rest } = crawl('members');
  const asAlice = { ...rest, job: { ...job, login } };
  await crawls.adopt([asAlice, crawl('good')]);
  expect([opened(), unable]).toEqual([['good'], ['members']]);
  expect(crawls.unable()).toMatchObject([
    { crawl: 'members', message: expect.stringContaining('workers of a network have none') },
  ]);
  await crawls.closeAll();
  crawls = open({ withoutAny: 'fail' });
  await expect(crawls.adopt([asAlice])).rejects.toMatchObject({
    next: expect.stringContaining('webfarer run'),
  });
});

it('opens a crawl anew when its job changes', async () => {
  await crawls.adopt([crawl('a'), crawl('b')]);
  const changed = [crawl('a', { revision: '2', userAgent: 'another' }), crawl('b')];
  const adopted = crawls.adopt(changed);
  // By the old revision nothing more is begun, and the other crawl goes on.
  expect([crawls.mayBegin('a' as CrawlId), crawls.mayBegin('b' as CrawlId)]).toEqual([false, true]);
  await adopted;
  expect(crawls.mayBegin('a' as CrawlId)).toBe(true);
  expect(left).toEqual(['a']);
  const agents = crawls.all().map(({ about: { id, userAgent } }) => `${id} ${userAgent}`);
  expect(agents.toSorted()).toEqual(['a another', 'b t']);
});

it('knows what was written of a crawl all the time that it is being closed', async () => {
  await crawls.adopt([crawl('a')]);
  const closing = crawls.close('a' as CrawlId);
  let looks = 0;
  let isClosed = false;
  void closing.then(() => (isClosed = true));
  while (!isClosed) {
    looks++;
    expect(crawls.written().map((one) => one.crawl)).toEqual(['a']);
    await Promise.resolve();
  }
  expect(looks).toBeGreaterThan(3);
  expect(crawls.written()).toMatchObject([{ crawl: 'a', open: false }]);
});

it('closes a deleted crawl before it erases its folder', async () => {
  await crawls.adopt([crawl('a'), crawl('b')]);
  expect(existsSync(join(folder, 'a.crawl'))).toBe(true);
  await crawls.erase(['a-nonce', 'unknown']);
  expect([opened(), left, existsSync(join(folder, 'a.crawl'))]).toEqual([['b'], ['a'], false]);
  expect(existsSync(join(folder, 'b.crawl'))).toBe(true);
});

it('erases the folder of a deleted crawl after it was opened, where that is under way', async () => {
  const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();
  await crawls.closeAll();
  const started = Promise.withResolvers<void>();
  crawls = open({
    async prepareFolder(path) {
      started.resolve();
      await mayGoOn;
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, 'crawl.json'), '{}');
    },
  });
  const adopted = crawls.adopt([crawl('a')]);
  await started.promise;
  const erased = crawls.erase(['a-nonce']);
  goOn();
  await Promise.all([adopted, erased]);
  expect([opened(), existsSync(join(folder, 'a.crawl'))]).toEqual([[], false]);
});

it('leaves out a crawl that signs its requests where it has no key, before it makes a folder', async () => {
  const signed = crawl('signed');
  const identity = { directory: 'https://me.test', hosts: ['*'] };
  signed.job = { ...signed.job, identity };
  await crawls.adopt([signed, crawl('plain')]);
  expect([opened(), existsSync(join(folder, 'signed.crawl'))]).toEqual([['plain'], false]);
  expect(crawls.unable()).toEqual([
    {
      crawl: 'signed',
      code: 'usage',
      message: 'the crawl signed signs its requests as https://me.test, and there is no key for that here',
    },
  ]);
  const key = signingKey(newPrivateKey(), 'the test');
  crawls = open({ signingKey: (asked) => (asked.directory === identity.directory ? key : undefined) });
  await crawls.adopt([signed]);
  expect(opened()).toEqual(['signed']);
});

it('asks for the secrets of a crawl when it is about to work on it, and again when they change', async () => {
  const url = 'http://a.test/' as Url;
  const asked: string[] = [];
  let answer: () => Promise<RequestSecrets> = () => Promise.reject(new WebfarerError('link-lost', 'away'));
  crawls = open({
    askSecrets: (id) => {
      asked.push(id);
      return answer();
    },
  });
  const told = (secrets: string) => crawl('c', { secrets, withheld: true });
  await crawls.adopt([told('s1')]);
  const one = crawls.get('c' as CrawlId);
  const sent = () => [one?.context.headersTo(url), one?.context.proxyFor(url)];
  expect([asked, sent()]).toEqual([[], [[], undefined]]);
  expect(await one?.ready()).toBe(false);
  const credentials = [{ origin: 'http://a.test', token: 'T' }];
  const proxy = [{ use: 'http://u:p@proxy:1' }];
  answer = () => Promise.resolve({ headers: [['X-Key', 'one']], credentials, proxy });
  expect(await Promise.all([one?.ready(), one?.ready()])).toEqual([true, true]);
  const headers = [
    ['X-Key', 'one'],
    ['Authorization', 'Bearer T'],
  ];
  expect([asked.length, sent()]).toEqual([2, [headers, 'http://u:p@proxy:1']]);
  expect([await one?.ready(), asked.length]).toEqual([true, 2]);
  // The same job with another key: what is being fetched goes on.
  const adopted = crawls.adopt([told('s2')]);
  expect(crawls.mayBegin('c' as CrawlId)).toBe(true);
  await adopted;
  answer = () => Promise.resolve({ headers: [['X-Key', 'two']], credentials: [], proxy: [] });
  expect([crawls.get('c' as CrawlId) === one, await one?.ready(), sent()]).toEqual([
    true,
    true,
    [[['X-Key', 'two']], undefined],
  ]);
  // Where they are in the job, the crawl is opened anew.
  const anew = crawls.adopt([crawl('c', { secrets: 's3' })]);
  expect(crawls.mayBegin('c' as CrawlId)).toBe(false);
  await anew;
});

it('waits a moment for a crawl that takes long to open, and says when it is open', async () => {
  const opening = Promise.withResolvers<void>();
  let changes = 0;
  crawls = open({
    clock: {
      now: () => nowMs,
      wall: () => nowMs,
      sleep: () => new Promise((resolve) => setImmediate(resolve)),
    },
    check: ({ id }) => (id === 'slow' ? opening.promise : Promise.resolve()),
    changed: () => void changes++,
  });
  const list = [crawl('slow'), crawl('good')];
  await crawls.adopt(list);
  await expect.poll(opened).toEqual(['good']);
  const absent = crawls.absent();
  // What is told again meanwhile is not done twice.
  await crawls.adopt(list);
  opening.resolve();
  await expect.poll(() => changes).toBeGreaterThan(0);
  expect(opened().toSorted()).toEqual(['good', 'slow']);
  // Hosts of it would be given back again and again.
  expect([absent, crawls.absent()]).toEqual([['slow'], undefined]);
});

it('tries a crawl that fails again and again less and less often', async () => {
  const waits: number[] = [];
  const bad = crawl('bad', {}, 'missing.pem');
  await crawls.adopt([bad]);
  for (let tries = 0; tries < 6; tries++) {
    const from = nowMs;
    while (!crawls.retryDue()) nowMs += 1_000;
    waits.push((nowMs - from) / 1_000);
    await crawls.adopt([bad]);
  }
  expect(waits).toEqual([30, 60, 120, 240, 480, 480]);
});
