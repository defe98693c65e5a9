import { join } from 'node:path';
import { readFolder } from '../../packages/cli/src/local/folder-reader.ts';
import type { WebSize } from '../fake-web/hosts.ts';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import type { ExpectOptions } from '../fake-web/universe.ts';
import { holds, judge } from '../judge/judge.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import {
  argument,
  labExpects,
  labGapMs,
  labJob,
  processesOf,
  startCrawler,
  workFolder,
  writeJob,
} from './lab.ts';

const sizes = { quick: { web: 'S', connections: 100 }, full: { web: 'M', connections: 200 } } as const;

/**
 * One undisturbed crawl of the whole fake web, judged by the web's own log and its closed form.
 * `--web M --processes 2 --seed 1`.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const web = (argument(args, '--web') ?? size.web) as WebSize;
  const processes = processesOf(args);
  const folder = workFolder('exact');
  const fake = await startFakeWeb({ size: web, seed: Number(argument(args, '--seed') ?? 1) });
  try {
    const job = join(folder.path, 'job.json');
    const out = join(folder.path, 'lab.crawl');
    await writeJob(
      job,
      labJob(fake, {
        politeness: { gap: `${labGapMs}ms`, slowFactor: 0, connections: size.connections },
        processes,
      }),
    );
    const started = performance.now();
    const crawler = startCrawler(job, out);
    const code = await crawler.ended;
    const seconds = (performance.now() - started) / 1_000;
    if (code !== 0) throw new Error(`the crawl ended with ${code}:\n${crawler.output()}`);
    const judgement = await judgeFolder(fake, out);
    const pagesPerSecond = Math.round(judgement.recorded / seconds);
    return {
      ok: holds(judgement),
      result: { ...judgement, pagesPerSecond, sizes: { ...size, web, processes } },
    };
  } finally {
    await fake.stop();
    folder.remove();
  }
}

/** Judges what a crawl folder holds against the log of the fake web it was made from. */
export async function judgeFolder(fake: FakeWeb, folder: string, expect: ExpectOptions = labExpects) {
  const reader = await readFolder(folder);
  try {
    return await judge({
      web: fake.web,
      expect,
      log: await fake.log(),
      records: reader.results.records(reader.crawl),
      gapMs: labGapMs,
      hostPages: fake.web.hostBudget(),
      balance: await reader.balance(),
    });
  } finally {
    await reader.close();
  }
}
