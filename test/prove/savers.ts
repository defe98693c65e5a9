// watches: packages/worker/src/save, packages/worker/src/objects, packages/worker/src/archive, packages/cli/src/sink
// watches: packages/cli/src/crawling, packages/coordinator/src/results
// misses: captures or messages lost, torn or doubled after kills, in each saver and sink
import { join } from 'node:path';
import type { JobInput } from '@webfarer/protocol';
import { tarCompressions } from '@webfarer/protocol/job';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import type { ExpectOptions } from '../fake-web/universe.ts';
import { holds } from '../judge/judge.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { judgeFolder } from './judge-folder.ts';
import { type RedisNode, type RedisServers, startRedis } from '../redis/servers.ts';
import { argument, briskJob, smallJob, startCrawler, until, workFolder, writeJob } from './lab.ts';
import { isRight, type SaverFindings } from './savers/findings.ts';
import { feedKafka, isFed } from './savers/kafka-part.ts';
import { compareRedis } from './savers/redis-contents.ts';
import { compareTar } from './savers/tar-contents.ts';
import { tearFiles } from './savers/torn-files.ts';

const sizes = {
  quick: { kills: 3, sinkKills: 4 },
  full: { kills: 20, sinkKills: 20 },
} as const;
const parts = ['files', 'kafka'] as const;

/**
 * What savers keep, and what sinks hand on, of crawls that are killed with SIGKILL again and again. `--part NAME` tries one
 * part, `--count N` kills N times in each.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = sizes[quick ? 'quick' : 'full'];
  const count = argument(args, '--count');
  const kills = Number(count ?? size.kills);
  const sinkKills = Number(count ?? size.sinkKills);
  const only = argument(args, '--part');
  const wanted = (part: (typeof parts)[number]) => only === undefined || only === part;
  const work = workFolder('savers');
  const fake = await startFakeWeb({ size: 'S', seed: 3 });
  try {
    const choice = quick ? smallJob(fake) : briskJob(fake);
    const files = wanted('files') ? await proveFiles({ fake, work: work.path, kills, ...choice }) : undefined;
    const scraper = join(import.meta.dirname, 'titles-scraper.ts');
    const kafka = wanted('kafka')
      ? await feedKafka({
          fake,
          folder: work.path,
          // Long enough for the kills to hit sinks at work.
          job: { ...choice.job, scraper, politeness: { gap: '400ms', slowFactor: 0 } },
          kills: sinkKills,
        })
      : undefined;
    const ok = (files?.ok ?? true) && (kafka === undefined || isFed(kafka));
    return {
      ok: ok && (files ?? kafka) !== undefined,
      result: { ...files?.result, ...(kafka ? { kafka } : {}), sizes: { kills, sinkKills } },
    };
  } finally {
    await fake.stop();
    work.remove();
  }
}

interface FilesPart {
  fake: FakeWeb;
  work: string;
  kills: number;
  job: JobInput;
  expect: ExpectOptions;
}

/**
 * A crawl with every saver is killed, and so is the server of the redis saver; its open files get a torn tail, as a power cut would leave one, and the same command
 * is typed again. In the end what records name must be readable through the read side and by tools that are not ours, each
 * body as a WARC file of the same crawl has it.
 */
async function proveFiles(part: FilesPart): Promise<ProofResult> {
  const redis = await startRedis();
  try {
    return await proveSavers(part, redis);
  } finally {
    await redis.stop();
  }
}

async function proveSavers(
  { fake, work, kills, job, expect }: FilesPart,
  redis: RedisServers,
): Promise<ProofResult> {
  const [server] = redis.nodes as [RedisNode];
  const jobFile = join(work, 'job.json');
  const tars = tarCompressions.map((compress) => ({ tar: { compress } }));
  await writeJob(jobFile, { ...job, save: [{ warc: { dedupe: false } }, ...tars, 'redis'] });
  const folder = join(work, 'killed.crawl');
  const fire = await crawlUnderFire({ fake, job: jobFile, folder, kills, redis });
  const judgement = await judgeFolder(fake, folder, expect);
  const complete = holds(judgement, { repeats: Number.POSITIVE_INFINITY });
  if (!complete) console.error(JSON.stringify(judgement, null, 1));
  const savers: Record<string, SaverFindings> = {};
  for (const compress of tarCompressions) savers[`tar ${compress}`] = await compareTar(folder, compress);
  savers['redis'] = await compareRedis(folder, { url: redis.url, port: server.port });
  const ok = complete && fire.kills === kills && Object.values(savers).every(isRight);
  return { ok, result: { ...fire, lost: judgement.lost, savers } };
}

interface Fire {
  fake: FakeWeb;
  job: string;
  folder: string;
  kills: number;
  redis: RedisServers;
}

/** Each kill comes when the crawl has fetched some more pages, so that it always hits one at work. */
async function crawlUnderFire({
  fake,
  job,
  folder,
  kills,
  redis,
}: Fire): Promise<{ kills: number; torn: number }> {
  const done = { kills: 0, torn: 0 };
  for (;;) {
    const { requests } = await fake.stats();
    const crawler = startCrawler(job, folder, { env: { WEBFARER_SAVE_REDIS: redis.url } });
    let ended: number | string | undefined;
    void crawler.ended.then((code) => {
      ended = code;
    });
    const more = done.kills < kills ? 5 + Math.floor(Math.random() * 15) : Number.POSITIVE_INFINITY;
    const isTime = async () => ended !== undefined || (await fake.stats()).requests >= requests + more;
    await until('the crawl to work or to end', isTime, 240_000);
    if (ended === 0) return done;
    if (ended !== undefined) throw new Error(`the crawl ended with ${ended}:\n${crawler.output()}`);
    // The server first: what the crawl sends it in between is in doubt.
    await Promise.all(redis.nodes.map((node) => node.kill('SIGKILL')));
    crawler.child.kill('SIGKILL');
    await crawler.ended;
    done.kills += 1;
    await Promise.all(redis.nodes.map((node) => node.restart()));
    done.torn += await tearFiles(join(folder, 'archive'));
  }
}
