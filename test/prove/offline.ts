// watches: packages/worker/src/egress, packages/worker/src/session, packages/worker/src/fetch
// watches: packages/coordinator/src/crawl/watch
// misses: hosts that are charged for the failure of our own network
import { join } from 'node:path';
import { startFakeWeb } from '../fake-web/server.ts';
import { holds } from '../judge/judge.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { judgeFolder } from './judge-folder.ts';
import { attemptsOf } from './folder-contents.ts';
import { argument, briskJob, processesOf, startCrawler, until, workFolder, writeJob } from './lab.ts';

const sizes = {
  quick: { outages: 1, outageMs: [1_500, 2_000] },
  full: { outages: 5, outageMs: [1_500, 6_000] },
} as const;

/** The web and its name server vanish together, again and again: nothing fails, nothing is charged. */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const wanted = Number(argument(args, '--count') ?? size.outages);
  const work = workFolder('offline');
  const fake = await startFakeWeb({ size: 'S', seed: 3 });
  const brisk = briskJob(fake);
  const job = join(work.path, 'job.json');
  await writeJob(job, { ...brisk.job, processes: processesOf(args) });
  try {
    const calm = join(work.path, 'calm.crawl');
    if ((await startCrawler(job, calm).ended) !== 0) throw new Error('the undisturbed crawl failed');
    const usual = await attemptsOf(calm);

    await fake.reset();
    const folder = join(work.path, 'lab.crawl');
    const crawler = startCrawler(job, folder);
    let outages = 0;
    let over = false;
    void crawler.ended.then(() => {
      over = true;
    });
    while (outages < wanted) {
      const { requests } = await fake.stats();
      const enough = requests + 60 + Math.floor(Math.random() * 100);
      await until('more requests', async () => over || (await fake.stats()).requests >= enough, 60_000);
      if (over) throw new Error(`the crawl ended after ${outages} outages:\n${crawler.output()}`);
      await fake.vanish();
      const [least, most] = size.outageMs;
      await new Promise((resolve) => setTimeout(resolve, least + Math.random() * (most - least)));
      await fake.return();
      outages++;
    }
    const code = await crawler.ended;
    if (code !== 0) throw new Error(`the crawl ended with ${code}:\n${crawler.output()}`);
    const judgement = await judgeFolder(fake, folder, brisk.expect);
    const disturbed = await attemptsOf(folder);
    const more = [...disturbed].filter(([url, attempts]) => attempts > (usual.get(url) ?? 0));
    const charged = more.length;
    for (const [url, attempts] of more.slice(0, 10))
      console.error(`  ${url}: ${attempts} tries, else ${usual.get(url) ?? 0}`);
    const said = (crawler.output().match(/No network/g) ?? []).length;
    const ok = holds(judgement, { repeats: Number.POSITIVE_INFINITY }) && charged === 0;
    // Failures the web itself deserves are part of the truth; `wrong` counts any other.
    return {
      ok,
      tooEasy: said === 0,
      result: {
        outages,
        failed: judgement.wrong,
        charged,
        said,
        ...judgement,
        sizes: { ...size, processes: processesOf(args) },
      },
    };
  } finally {
    await fake.stop();
    work.remove();
  }
}
