import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeWeb } from '../fake-web/server.ts';
import { checkArchive } from '../prove/archive-check.ts';
import { judgeFolder } from '../prove/judge-folder.ts';
import { allHostsBut, labExpects, labJob, startCrawler, workFolder, writeJob } from '../prove/lab.ts';
import { holds, type Judgement } from './judge.ts';

/** One of each kind that costs little time. */
const chosen =
  '((www|blog|static)\\.)?(hub|shop|bank|closed|stranger|calm|busy|atlas|spiral|faulty|dead|patience)0';
const work = workFolder('small-crawl');
const folder = join(work.path, 'lab.crawl');
let judgement: Judgement;

/** A crawl of some hosts of the fake web by the real command. `npm run prove -- exact` crawls all of them. */
beforeAll(async () => {
  const fake = await startFakeWeb({ size: 'S', seed: 2 });
  const job = join(work.path, 'job.json');
  const hosts = new RegExp(`^${chosen}\\.test$`);
  const exclude = allHostsBut(fake, hosts);
  await writeJob(job, labJob(fake, { scope: { stay: 'web', exclude } }));
  const crawler = startCrawler(job, folder);
  const code = await crawler.ended;
  judgement = await judgeFolder(fake, folder, { ...labExpects, hosts: ({ name }) => hosts.test(name) });
  await fake.stop();
  if (code !== 0) throw new Error(`the crawl ended with ${code}:\n${crawler.output()}`);
});
afterAll(() => work.remove());

describe('a crawl of a few hosts', () => {
  it('records every URL once, and as it should be', () => {
    const { recordExamples, lost, extra, duplicates, wrong } = judgement;
    expect({ lost, extra, duplicates, wrong }, JSON.stringify(recordExamples)).toEqual({
      lost: 0,
      extra: 0,
      duplicates: 0,
      wrong: 0,
    });
    expect(judgement.expected).toBeGreaterThan(300);
  });

  it('requests nothing that robots.txt forbids, and reads that first', () => {
    const { disallowed, beforeRobots, requestExamples } = judgement;
    expect({ disallowed, beforeRobots }, JSON.stringify(requestExamples)).toEqual({
      disallowed: 0,
      beforeRobots: 0,
    });
  });

  it('keeps the gap, the crawl-delay and Retry-After', () => {
    const { gapViolations, maxInFlightPerHost, requestExamples } = judgement;
    expect({ gapViolations, maxInFlightPerHost }, JSON.stringify(requestExamples.gaps)).toEqual({
      gapViolations: 0,
      maxInFlightPerHost: 1,
    });
  });

  it('requests no URL twice, and none that nobody named', () => {
    const { repeats, strays, unfetched, requestExamples } = judgement;
    expect({ repeats, strays, unfetched }, JSON.stringify(requestExamples)).toEqual({
      repeats: 0,
      strays: 0,
      unfetched: 0,
    });
  });

  it('keeps traps within the budget of their host', () => {
    expect(judgement).toMatchObject({ trapViolations: 0 });
    expect(judgement.trapHosts.map(({ host }) => host)).toEqual(['spiral0.test']);
  });

  it('adds up, with nothing left over', () => {
    expect(judgement.balanced).toBe(true);
    expect(holds(judgement)).toBe(true);
  });

  it('indexes every capture where it lies', async () => {
    expect(await checkArchive(folder)).toMatchObject({
      wrongLines: [],
      unindexed: [],
      dangling: [],
      orphans: 0,
      unreadable: [],
    });
  });
});
