// watches: packages/coordinator/src/ledger, packages/coordinator/src/frontier/redis, packages/coordinator/src/redis
// watches: packages/coordinator/src/link
// misses: two crawls on one store that ask a host twice at once or do not share it
import { join } from 'node:path';
import type { JobInput, PageRecord } from '@webfarer/protocol';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import type { ExpectOptions } from '../fake-web/universe.ts';
import { folderRecords } from '../judge/folder-records.ts';
import { judgeRecords } from '../judge/judge-records.ts';
import { judgeRequests } from '../judge/judge-requests.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { argument, briskJob, labGapMs, workFolder, writeJob } from './lab.ts';
import { type Member, membersEnded, startMembers, startStore, type StoreKind } from './shared-crawl.ts';

/** Of the large web every name has ten hosts; those of the first four numbers are 200. */
const sizes = {
  quick: { web: 'S', first: 10, processesEach: 1 },
  full: { web: 'M', first: 4, processesEach: 2 },
} as const;
/** What each crawl may have of all requests while both have work. */
const fair = { least: 0.4, most: 0.6 };

/**
 * Two crawls of the same hosts at once, each by processes with folders of their own, through one store: no host is
 * asked too soon or twice at once, by the web's own log, and both get their share. `--store cluster --pages 3000`.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const pages = argument(args, '--pages');
  const kind = (argument(args, '--store') ?? (quick ? 'redis' : 'cluster')) as StoreKind;
  const work = workFolder('two-crawls');
  const fake = await startFakeWeb({ size: size.web, seed: 3 });
  const store = await startStore(kind);
  const members: Member[][] = [];
  try {
    const { job, expect } = someHosts(fake, size.first);
    for (const name of ['red', 'blue']) {
      const file = join(work.path, `${name}.json`);
      const limits = { ...job.limits, ...(pages === undefined ? {} : { pages: Number(pages) }) };
      await writeJob(file, { ...job, name, limits });
      members.push(
        startMembers({ job: file, url: store.url, count: size.processesEach, under: work.path, name }),
      );
    }
    await membersEnded(members.flat());
    const whole = pages === undefined;
    const crawls = await Promise.all(
      members.map(async ([first]) => (await folderRecords((first as Member).folder)).records),
    );
    const log = await fake.log();
    const { gapViolations, minGapMs, maxInFlightPerHost, disallowed, requests, requestExamples } =
      judgeRequests({ web: fake.web, expect, log, gapMs: labGapMs, epsilonMs: 1 });
    const found = await Promise.all(
      crawls.map((records) =>
        judgeRecords({ web: fake.web, expect, records, hostPages: fake.web.hostBudget() }),
      ),
    );
    const sum = (name: 'lost' | 'extra' | 'duplicates') => found.reduce((all, one) => all + one[name], 0);
    const share = shareOf(crawls);
    const zeros = {
      duplicates: sum('duplicates'),
      ...(whole ? { lost: sum('lost'), extra: sum('extra') } : {}),
    };
    const ok =
      gapViolations === 0 &&
      maxInFlightPerHost <= 1 &&
      disallowed === 0 &&
      Object.values(zeros).every((count) => count === 0);
    return {
      ok,
      tooSlow: share < fair.least || share > fair.most,
      result: {
        ...zeros,
        gapViolations,
        minGapMs,
        maxInFlightPerHost,
        disallowed,
        requests,
        share,
        records: crawls.map(({ length }) => length),
        gapExamples: requestExamples.gaps,
        examples: found.map(({ recordExamples }) => recordExamples),
        sizes: { ...size, store: kind, pages: pages ?? 'all' },
      },
    };
  } finally {
    for (const { crawler } of members.flat()) crawler.child.kill('SIGKILL');
    await store.stop();
    await fake.stop();
    work.remove();
  }
}

/** The brisk job on the hosts whose number is below this. */
function someHosts(fake: FakeWeb, first: number): { job: JobInput; expect: ExpectOptions } {
  const { job, expect } = briskJob(fake);
  if (first === 10) return { job, expect };
  const others = { regex: `^https?://[a-z.]*[a-z][${first}-9]\\.test` };
  const exclude = [...(job.scope?.exclude ?? []), others];
  return {
    job: { ...job, scope: { ...job.scope, exclude } },
    expect: {
      ...expect,
      hosts: (host) =>
        (expect.hosts?.(host) ?? true) && Number(/(\d)\.test$/.exec(host.name)?.[1] ?? 0) < first,
    },
  };
}

/** The first crawl's part of what was fetched from the moment both had begun until the first had nothing left. */
function shareOf(crawls: PageRecord[][]): number {
  const times = crawls.map((records) =>
    records
      .filter(({ status }) => status !== undefined)
      .map(({ startedAtMs }) => startedAtMs)
      .toSorted((a, b) => a - b),
  );
  const from = Math.max(...times.map((all) => all[0] ?? 0));
  const to = Math.min(...times.map((all) => all.at(-1) ?? 0));
  const [red = 0, blue = 0] = times.map((all) => all.filter((at) => at >= from && at <= to).length);
  return Math.round((red / (red + blue)) * 1_000) / 1_000;
}
