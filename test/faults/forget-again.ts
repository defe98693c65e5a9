import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { openKeeper } from '../../packages/coordinator/src/frontier/redis/forgetting.ts';
import { readFolder } from '../../packages/coordinator/src/crawl/reading/folder-reader.ts';
import type { FakeWeb } from '../fake-web/server.ts';
import { judge, type Judgement } from '../judge/judge.ts';
import { type CoordinatorProcess, type Network, startNetwork } from '../network/launcher.ts';
import { until, writeJob } from '../prove/lab.ts';
import { freePorts } from '../redis/server-process.ts';
import { startRedis } from '../redis/servers.ts';
import { faultJob } from './fault-job.ts';

const name = 'again';
const crawlMs = 240_000;
/** Somebody may have asked for URLs of a crawl until a moment ago; then it is not erased yet. */
const forgetMs = 30_000;

/**
 * A crawl comes to its end, is erased from the store and begun again under the same name, with the same job, while its
 * worker stays up. Answers how the second one fared.
 */
export async function crawlAfterForgetting(options: {
  fake: FakeWeb;
  under: string;
  gapMs: number;
}): Promise<Judgement> {
  const { fake, under } = options;
  mkdirSync(under, { recursive: true });
  const { job, expect, gapMs } = faultJob(fake, { few: true, gapMs: options.gapMs });
  const file = join(under, 'job.json');
  await writeJob(file, { ...job, name });
  const store = await startRedis();
  const [port] = await freePorts('127.0.0.1', 1);
  const place = { listen: `127.0.0.1:${port}`, advertise: `http://127.0.0.1:${port}` };
  const network = await startNetwork({
    job: file,
    under,
    store: store.url,
    coordinatorWords: ['--insecure-store'],
    workers: 1,
    untilDone: true,
    placeOf: () => place,
  });
  try {
    await toItsEnd(network, network.coordinators[0]);
    await forget(store.url);
    await fake.reset();
    const second = await network.addCoordinator();
    await toItsEnd(network, second);
    const reader = await readFolder(second.folder);
    try {
      return await judge({
        web: fake.web,
        expect,
        log: await fake.log(),
        records: reader.results.records(reader.crawl),
        gapMs,
        hostPages: fake.web.hostBudget(),
        balance: await reader.balance(),
      });
    } finally {
      await reader.close();
    }
  } finally {
    await network.end();
    await store.stop();
  }
}

async function toItsEnd({ workers }: Network, coordinator: CoordinatorProcess | undefined): Promise<void> {
  const late = new Promise<'late'>((resolve) => setTimeout(resolve, crawlMs, 'late').unref());
  const how = await Promise.race([coordinator?.ended(), late]);
  if (how === 0) return;
  const said = [coordinator, ...workers].map((one) => one?.output().slice(-2_000)).join('\n');
  throw new Error(`the coordinator ended with ${how}:\n${said}`);
}

async function forget(url: string): Promise<void> {
  const keeper = await openKeeper({ url, clock: systemClock() });
  try {
    const isErased = () =>
      keeper.forget(name).then(
        () => true,
        (error: Error) => {
          if (/is in use/.test(error.message)) return false;
          throw error;
        },
      );
    await until('nobody works on the crawl', isErased, forgetMs);
  } finally {
    await keeper.close();
  }
}
