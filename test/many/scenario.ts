import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { monotonicNs } from '../fake-web/request-log.ts';
import type { FakeWeb } from '../fake-web/server.ts';
import type { ExpectOptions } from '../fake-web/universe.ts';
import type { NetworkProcess } from '../network/process.ts';
import { until } from '../prove/lab.ts';
import { crawlNumbers, leftKeys, type Traces } from '../redis/left-keys.ts';
import type { RedisServers } from '../redis/servers.ts';
import { type CoordinatorPart, coordinatorPart } from './coordinator-part.ts';
import { bytesIn, leftFiles } from './left-files.ts';
import { someHosts } from './some-hosts.ts';
import { workerPart } from './worker-part.ts';

export interface Plan {
  /** Crawls that are crawled to their end, all of the same hosts, begun together. */
  kept: number;
  /** Crawls that are deleted while they run; every second name is then created again, and crawled to its end. */
  deleted: number;
  coordinators: number;
  workers: number;
  /** Kills of coordinators, and as many of workers. */
  kills: number;
  gapMs: number;
  /** Hosts of the fake web that are crawled. */
  hosts: RegExp;
  withinMs: number;
}

export interface Stage {
  fake: FakeWeb;
  under: string;
  /** Absent: one coordinator, with SQLite. */
  redis?: RedisServers;
  /** A control: every crawl has its hosts to itself, whatever the others do. */
  withoutLedger?: boolean;
}

export interface CreatedCrawl {
  /** The contact in its requests: by it the web's log tells crawls apart, also those of one name. */
  mark: string;
  name: string;
  folders: string[];
  /** Of a crawl that was deleted. */
  traces?: Traces;
}

/** On the clock of the web's log. */
export interface Span {
  fromNs: number;
  toNs: number;
}

export interface Ending {
  kept: CreatedCrawl[];
  again: CreatedCrawl[];
  deleted: CreatedCrawl[];
  coordinators: CoordinatorPart[];
  workerFolders: string[];
  killed: { coordinators: number; workers: number };
  /** When some crawls were not open at any coordinator: the only one was dead, or took up one crawl after the other. */
  partlyOpen: Span[];
  /** Bytes on disk of crawls just before they were deleted. */
  deletedBytes: number;
  /** Keys with traces of them at that moment: what the search for them finds. */
  keysBefore: number;
  /** Files of workers with traces of them at that moment. */
  workerFilesBefore: number;
  expect: ExpectOptions;
  end(): Promise<void>;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const isAny = () => true;

/** Creates, deletes and creates again, by calls, while parts are killed; then until every crawl that is left has ended. */
export async function play(stage: Stage, plan: Plan): Promise<Ending> {
  const { fake, under, redis } = stage;
  const coordinators = Array.from({ length: plan.coordinators }, (_, n) =>
    coordinatorPart({
      name: `coordinator-${n}`,
      folder: join(under, `coordinator-${n}`),
      store: redis?.url,
      withoutLedger: stage.withoutLedger ?? false,
    }),
  );
  for (const { folder } of coordinators) mkdirSync(folder, { recursive: true });
  const workers: NetworkProcess[] = [];
  const killed = { coordinators: 0, workers: 0 };
  const partlyOpen: Span[] = [];
  const live = new Map<string, CreatedCrawl>();
  const deleted: CreatedCrawl[] = [];
  const again: CreatedCrawl[] = [];
  let deletedBytes = 0;
  let keysBefore = 0;
  let workerFilesBefore = 0;
  const workerFolders = Array.from({ length: plan.workers }, (_, n) => join(under, `worker-${n}`));
  let created = 0;
  let over = false;

  const startedMs = performance.now();
  const tell = (what: string) =>
    console.error(`  ${((performance.now() - startedMs) / 1_000).toFixed(1)} s: ${what}`);

  const end = async () => {
    over = true;
    await Promise.all([...workers.map((worker) => worker.kill()), ...coordinators.map((one) => one.kill())]);
  };

  /** Asks a coordinator that is there, and another one or the same again where it dies over the question. */
  async function ask<T>(
    what: string,
    question: (of: CoordinatorPart) => Promise<T>,
    which: (of: CoordinatorPart) => boolean = isAny,
  ): Promise<T> {
    let last: unknown;
    const until = performance.now() + 60_000;
    while (performance.now() < until && !over) {
      const able = coordinators.filter((one) => one.alive && which(one));
      const one = able[Math.floor(Math.random() * able.length)];
      try {
        if (one) return await question(one);
      } catch (error) {
        last = error;
        if (one?.alive) console.error(`  ${what}: ${String(error).split('\n')[0]}`);
      }
      await pause(100);
    }
    throw new Error(`${what}: ${String(last)}`);
  }

  /** A crawl is not taken up while it is being deleted: that would create another one. */
  const turns = new Map<string, Promise<unknown>>();
  async function inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const mine = (turns.get(name) ?? Promise.resolve()).then(work);
    turns.set(
      name,
      mine.catch(() => undefined),
    );
    return await mine;
  }

  const { job, expect } = someHosts(fake, plan);
  const jobOf = ({ mark, name }: CreatedCrawl) => ({ ...job, name, contact: `https://lab.test/${mark}` });

  /** It may have done so, and died before it could say so or after it was asked by somebody else. */
  async function takeUp(at: CoordinatorPart, crawl: CreatedCrawl): Promise<void> {
    await at.create(jobOf(crawl)).catch((error: unknown) => {
      const runs = leftFiles(join(at.folder, 'crawls', crawl.name), [crawl.mark]).length > 0;
      if (!runs || !String(error).includes('runs already')) throw error;
    });
  }

  /** At one coordinator; then the others take part in it, so that any of them may be dead. */
  async function create(name: string): Promise<CreatedCrawl> {
    const crawl: CreatedCrawl = { mark: `mark-${under.length}-${created++}-end`, name, folders: [] };
    const take = async (at: CoordinatorPart) => {
      await takeUp(at, crawl);
      crawl.folders.push(join(at.folder, 'crawls', name));
      return at;
    };
    const first = await ask(`create ${name}`, take);
    const others = coordinators.filter((one) => one !== first);
    await Promise.all(others.map((other) => ask(`take up ${name}`, take, (one) => one === other)));
    live.set(name, crawl);
    tell(`${name} created`);
    return crawl;
  }

  async function requestsOf({ mark }: CreatedCrawl): Promise<number> {
    return (await fake.log()).filter(({ agent }) => agent.includes(mark)).length;
  }

  async function remove(crawl: CreatedCrawl): Promise<void> {
    const { name } = crawl;
    await until(`${name} at work`, async () => over || (await requestsOf(crawl)) > 3, plan.withinMs);
    const words = [crawl.mark];
    const number = redis ? ((await crawlNumbers(redis)).get(name) ?? '') : '';
    crawl.traces = { words, number };
    if (redis) keysBefore += (await leftKeys(redis, [crawl.traces])).flat().length;
    deletedBytes += crawl.folders.reduce((sum, folder) => sum + bytesIn(folder), 0);
    for (const folder of workerFolders) workerFilesBefore += leftFiles(folder, words).length;
    live.delete(name);
    await inTurn(name, () => ask(`delete ${name}`, (one) => one.delete(name)));
    deleted.push(crawl);
    tell(`${name} deleted`);
  }

  async function deleteSome(): Promise<void> {
    for (let n = 0; n < plan.deleted; n++) {
      const crawl = await create(`doomed-${n}`);
      await remove(crawl);
      if (n % 2 === 0) again.push(await create(crawl.name));
    }
  }

  async function killSome(): Promise<void> {
    for (let n = 0; n < plan.kills && !over; n++) {
      await pause(500 + Math.random() * 1_000);
      const one = coordinators[n % coordinators.length] as CoordinatorPart;
      const fromNs = monotonicNs();
      await one.kill();
      killed.coordinators++;
      await pause(Math.random() * 300);
      await one.start();
      // It takes up what it had.
      for (const crawl of live.values())
        if (crawl.folders.some((folder) => folder.startsWith(`${one.folder}/`)))
          await inTurn(crawl.name, async () => {
            if (live.get(crawl.name) === crawl) await takeUp(one, crawl);
          });
      await one.ready();
      if (coordinators.length === 1) partlyOpen.push({ fromNs, toNs: monotonicNs() });
      tell(`${one.name} killed and back`);
      const worker = workers[n % workers.length] as NetworkProcess;
      await worker.kill();
      killed.workers++;
      await pause(Math.random() * 300);
      await worker.start();
      tell(`${worker.name} killed and back`);
    }
  }

  try {
    await Promise.all(coordinators.map((one) => one.start()));
    const names = Array.from({ length: plan.kept }, (_, n) => `kept-${n}`);
    const kept: CreatedCrawl[] = [];
    for (const name of names) kept.push(await create(name));
    await Promise.all(coordinators.map((one) => one.ready()));
    for (let n = 0; n < plan.workers; n++) workers.push(workerPart(n, coordinators, under));
    await Promise.all(workers.map((one) => one.start()));
    tell('workers at work');
    await Promise.all([deleteSome(), killSome()]);
    const ended = async (name: string) => {
      const states = await Promise.all(
        coordinators.filter(({ alive }) => alive).map((one) => one.states().catch(() => [])),
      );
      return states.flat().some((crawl) => crawl.name === name && crawl.state === 'finished');
    };
    for (const name of live.keys()) {
      await until(`${name} to end`, () => ended(name), plan.withinMs);
      tell(`${name} finished`);
    }
    return {
      kept,
      again,
      deleted,
      coordinators,
      workerFolders,
      killed,
      partlyOpen,
      deletedBytes,
      keysBefore,
      workerFilesBefore,
      expect,
      end,
    };
  } catch (error) {
    for (const one of [...coordinators, ...workers])
      console.error(`${one.name}: ${one.output().slice(-3_000)}`);
    await end();
    throw error;
  }
}
