// watches: packages/coordinator/src/crawl, packages/coordinator/src/catalog, packages/coordinator/src/api
// watches: packages/coordinator/src/frontier, packages/coordinator/src/link, packages/protocol/src/job
// watches: packages/protocol/src/url
// misses: URLs lost or wrongly requested when a job is edited while it runs
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PageRecord } from '@webfarer/protocol';
import { type ApiClient, createClient } from '@webfarer/protocol/api';
import { addsUp } from '@webfarer/protocol/crawl';
import {
  type EditedSettings,
  gapOf,
  initialSettings,
  isExcluded,
  patchOf,
  type Phase,
  phasesBefore,
  randomEdit,
  type SettingEdit,
} from '../edits/random-edits.ts';
import type { Host } from '../fake-web/hosts.ts';
import { originFor } from '../fake-web/pages.ts';
import { type LogEntry, monotonicNs } from '../fake-web/request-log.ts';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import { type Change, copyWith } from '../faults/changed-source.ts';
import { randomFrom } from '../fuzz/random.ts';
import { folderRecords } from '../judge/folder-records.ts';
import { judgeRecords } from '../judge/judge-records.ts';
import { patientFetch } from '../network/patient-fetch.ts';
import { type CoordinatorProcess, type Network, startNetwork } from '../network/launcher.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { startRedis } from '../redis/servers.ts';
import { plainHosts } from './dry-and-water.ts';
import { argument, labExpects, labJob, until, workFolder, writeJob } from './lab.ts';

/** The crawl begins at the first pace, so slowly that a queue is left when it is narrowed, and ends at the last one. */
const sizes = {
  quick: {
    coordinators: 2,
    workers: 2,
    hosts: 4,
    primaries: 1,
    edits: 6,
    requests: 8,
    gapsMs: [400, 150, 80],
  },
  full: {
    coordinators: 3,
    workers: 6,
    hosts: 24,
    primaries: 3,
    edits: 50,
    requests: 12,
    gapsMs: [800, 500, 250],
  },
};
type Size = (typeof sizes)['quick'];

/** An edit is in force at every coordinator and worker by then. */
const inForceNs = 10e9;
// ci: rated, because it judges how soon an edit is in force everywhere.
const finishWithinMs = 600_000;
const crawl = 'lab';
const params = { crawl };

/**
 * A network of real processes crawls while its job is edited at random, each time at another coordinator: scope, depth, pace
 * and limits. Every fifth edit is sent again with the version of before. In the end the first settings hold again, what
 * was refused is back, and the links that were left out meanwhile are looked for once more. By the web's own log and
 * pages nothing is lost, nothing outside the scope was requested once an edit was in force, and pauses were kept; the
 * history has every edit, and only those. In the control URLs that a narrower scope refused do not come back.
 * `--edits N --workers N --seed N`.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const usual = quick ? sizes.quick : sizes.full;
  const size = {
    ...usual,
    edits: Number(argument(args, '--edits') ?? usual.edits),
    workers: Number(argument(args, '--workers') ?? usual.workers),
  };
  const seed = Number(argument(args, '--seed') ?? 13);
  const work = workFolder('edits');
  try {
    // Both to their ends, so that nothing of either is left.
    const [edited, control] = (
      await Promise.allSettled([
        runNetwork(join(work.path, 'edited'), size, seed),
        runControl(join(work.path, 'control')),
      ])
    ).map((run) => {
      if (run.status === 'rejected') throw run.reason;
      return run.value;
    }) as [Awaited<ReturnType<typeof runNetwork>>, Awaited<ReturnType<typeof runControl>>];
    const zeros = [
      'lost',
      'extra',
      'wrong',
      'duplicates',
      'historyWrong',
      'staleAccepted',
      'lateRequests',
      'gapViolations',
      'leftOut',
      'unbalanced',
    ] as const;
    const ok =
      zeros.every((name) => edited[name] === 0) &&
      edited.addsUp &&
      edited.edits > size.edits &&
      edited.restored >= edited.dropped;
    return {
      ok,
      tooEasy: edited.dropped === 0 || control.leftOut === 0,
      result: { ...edited, leftOutInControl: control.leftOut, seed, sizes: size },
    };
  } finally {
    work.remove();
  }
}

const hostsOf = ({ web }: FakeWeb, count: number): Host[] => plainHosts(web).slice(0, count);

function jobOf(fake: FakeWeb, hosts: readonly Host[], settings: EditedSettings) {
  const job = labJob(fake, { seeds: hosts.map((host) => `${originFor(fake.web, host, 'http')}/`) });
  return {
    ...job,
    scope: { stay: 'host' as const, exclude: settings['scope.exclude'] },
    politeness: { gap: settings['politeness.gap'], slowFactor: 0 },
  };
}

async function clientOf({ folder, url }: CoordinatorProcess): Promise<ApiClient> {
  const token = (await readFile(join(folder, 'operator.token'), 'utf8')).trim();
  return createClient({ url: url(), token, fetch: patientFetch });
}

async function runNetwork(under: string, size: Size, seed: number) {
  mkdirSync(under, { recursive: true });
  const startedMs = performance.now();
  const tell = (what: string) =>
    console.error(`  ${((performance.now() - startedMs) / 1_000).toFixed(1)} s: ${what}`);
  const random = randomFrom(seed);
  const fake = await startFakeWeb({ size: 'S', seed: 6 });
  const redis = await startRedis({ primaries: size.primaries });
  let network: Network | undefined;
  try {
    const hosts = hostsOf(fake, size.hosts);
    const first = initialSettings(size.gapsMs);
    const job = join(under, 'job.json');
    await writeJob(job, jobOf(fake, hosts, first));
    network = await startNetwork({ job, under, ...size, connections: 32, store: redis.url });
    const { coordinators } = network;
    const clients = await Promise.all(coordinators.map(clientOf));
    const any = () => random.pick(clients);
    const phases: Phase[] = [{ fromNs: 0, ackedNs: 0, settings: first }];
    const made: SettingEdit[][] = [];
    let [staleAccepted, unbalanced] = [0, 0];

    /** At one coordinator, of the version that another one shows; where an edit of the scope sweeps meanwhile, once more. */
    async function edit(edits: SettingEdit[]): Promise<void> {
      const changes = patchOf(edits);
      const fromNs = monotonicNs();
      for (let tries = 1; ; tries++) {
        const { version } = await any().getCrawl({ params });
        try {
          await any().editCrawl({ params, body: { changes, rescope: true, version } });
          break;
        } catch (error) {
          if ((error as { code?: string }).code !== 'conflict' || tries > 50) throw error;
        }
      }
      made.push(edits);
      const settings = { ...(phases.at(-1) as Phase).settings };
      for (const { field, to } of edits) Object.assign(settings, { [field]: to });
      phases.push({ fromNs, ackedNs: monotonicNs(), settings });
    }

    async function tryStale(version: number): Promise<void> {
      const body = { changes: { limits: { pages: 77 } }, rescope: true, version };
      await any()
        .editCrawl({ params, body })
        .then(
          () => staleAccepted++,
          (error: { code?: string }) => {
            if (error.code !== 'conflict') throw error;
          },
        );
    }

    await narrow(clients, () => edit([{ field: 'scope.exclude', from: [], to: [{ regex: '/s[0-9]/' }] }]));
    tell('a paused crawl was narrowed');
    for (let n = 0; n < size.edits; n++) {
      let before: number | undefined;
      // Until something has happened, or nothing is left to do in this scope.
      await until(
        'the crawl to go on',
        async () => {
          const { progress } = await any().getCrawl({ params });
          if (!progress) return false;
          const { queued, leased, done, failed } = progress.balance;
          if (!addsUp(progress.balance)) unbalanced++;
          before ??= done + failed;
          return queued + leased === 0 || done + failed >= before + size.requests;
        },
        120_000,
      );
      const { version } = await any().getCrawl({ params });
      await edit([randomEdit((phases.at(-1) as Phase).settings, size.gapsMs, random)]);
      if (n % 5 === 4) await tryStale(version);
      await resumeIfOver(any());
    }
    const now = (phases.at(-1) as Phase).settings;
    // The limit is certain to be another one.
    const last = { ...first, 'politeness.gap': `${size.gapsMs.at(-1)}ms`, 'limits.pages': 200_000 };
    await edit(
      (Object.keys(last) as (keyof EditedSettings)[])
        .filter((field) => JSON.stringify(now[field]) !== JSON.stringify(last[field]))
        .map((field) => ({ field, from: now[field], to: last[field] })),
    );
    await resumeIfOver(any());
    tell(`${made.length} edits are made`);
    await untilDone(clients);
    const relinked = await relinkAll(clients);
    tell(`the crawl is over; ${relinked} links were found again`);

    const histories = await Promise.all(clients.map((client) => client.listEdits({ params })));
    const log = await fake.log();
    const folder = (coordinators[0] as CoordinatorProcess).folder;
    await Promise.all([...network.workers, ...coordinators].map((one) => one.stop()));
    const { records, balance, byReason } = await folderRecords(folder);
    const sweeps = (histories[0]?.items ?? []).flatMap(({ sweep }) => (sweep ? [sweep] : []));
    return {
      edits: made.length,
      historyWrong: histories.reduce((sum, history) => sum + wrongIn(history.items, made), 0),
      staleAccepted,
      unbalanced,
      dropped: sweeps.reduce((sum, { dropped }) => sum + dropped, 0),
      restored: sweeps.reduce((sum, { restored }) => sum + restored, 0),
      pending: sweeps.filter(({ state }) => state === 'pending').length,
      relinked,
      ...(await judgePages(fake, hosts, records)),
      ...judgeRequests(log, phases, fake),
      leftOut: (byReason.scope ?? 0) + (byReason.dropped ?? 0),
      addsUp: addsUp(balance) && balance.queued + balance.leased === 0,
      requests: log.length,
    };
  } finally {
    await network?.end();
    await redis.stop();
    await fake.stop();
  }
}

/** Every page of the sites leaves the scope while the crawl is paused, so that what is queued cannot be fetched before. */
async function narrow([client]: readonly ApiClient[], edit: () => Promise<void>): Promise<void> {
  if (!client) return;
  const balance = async () => (await client.getCrawl({ params })).progress?.balance;
  await until('a queue', async () => ((await balance())?.queued ?? 0) >= 60, 120_000);
  await client.pauseCrawl({ params });
  // What workers still hold when they hear of the edit they refuse themselves, and the sweep would find nothing.
  await until(
    'the workers to give back what they hold',
    async () => (await balance())?.leased === 0,
    120_000,
  );
  await edit();
  const isSwept = async () =>
    (await client.listEdits({ params })).items.every(({ sweep }) => sweep?.state === 'done');
  await until('the queue to be looked through', isSwept, 120_000);
  await client.resumeCrawl({ params });
}

/** In a scope without URLs the crawl ends; the next edit is to find it at work. */
async function resumeIfOver(client: ApiClient): Promise<void> {
  const { state } = await client.getCrawl({ params });
  if (state === 'finished' || state === 'stopped') await client.resumeCrawl({ params });
}

async function untilDone(clients: readonly ApiClient[]): Promise<void> {
  await until(
    'the crawl to end',
    async () => {
      const [client] = clients as [ApiClient];
      const { items } = await client.listEdits({ params });
      const isSwept = items.every(({ sweep }) => sweep?.state !== 'pending');
      const { state } = await client.getCrawl({ params });
      if (state === 'finished' && !isSwept) await client.resumeCrawl({ params });
      return state === 'finished' && isSwept;
    },
    finishWithinMs,
  );
}

/** Until the links of all pages, and of the pages these lead to, bring nothing new. */
async function relinkAll(clients: readonly ApiClient[]): Promise<number> {
  const [client] = clients as [ApiClient];
  let found = 0;
  for (let round = 0; round < 20; round++) {
    let queued = 0;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const answer: { queued: number; next?: string | undefined } = await client.relinkUrls({
        params,
        body: { after },
      });
      queued += answer.queued;
      after = answer.next;
    }
    found += queued;
    if (queued === 0) return found;
    await client.resumeCrawl({ params });
    await untilDone(clients);
  }
  throw new Error('links are found without end');
}

type History = Awaited<ReturnType<ApiClient['listEdits']>>['items'];

/** Edits that are missing, too many, or not what was made. */
function wrongIn(history: History, made: readonly SettingEdit[][]): number {
  const words = (changes: readonly { field: string; from?: unknown; to?: unknown }[]) =>
    changes
      .map((one) => JSON.stringify([one.field, one.from ?? null, one.to]))
      .toSorted()
      .join();
  const wrong = made.filter((edits, n) => {
    const kept = history[n];
    return (
      !kept ||
      kept.seq !== n + 1 ||
      kept.by === '' ||
      !(kept.atMs > 0) ||
      words(kept.changes) !== words(edits)
    );
  });
  for (const edits of wrong.slice(0, 3))
    console.error(`  wrong in the history: ${JSON.stringify([edits, history[made.indexOf(edits)]])}`);
  return wrong.length + Math.abs(history.length - made.length);
}

async function judgePages(fake: FakeWeb, hosts: readonly Host[], records: readonly PageRecord[]) {
  const names = new Set(hosts.map(({ name }) => name));
  const { expected, recorded, lost, extra, wrong, duplicates, recordExamples } = await judgeRecords({
    web: fake.web,
    expect: { ...labExpects, hosts: ({ name }) => names.has(name) },
    // Names with and without www are one host to the scope, and the others link to them.
    records: records.filter(({ url }) => names.has(new URL(url).hostname)),
    hostPages: fake.web.hostBudget(),
  });
  if (lost + extra + wrong + duplicates > 0) console.error(JSON.stringify(recordExamples));
  return { expected, recorded, lost, extra, wrong, duplicates };
}

/** Requests outside every scope that could still be in force, and pauses shorter than every pace that could. */
function judgeRequests(log: readonly LogEntry[], phases: readonly Phase[], { httpPort }: FakeWeb) {
  let [lateRequests, gapViolations, gapsJudged] = [0, 0, 0];
  const last = new Map<string, LogEntry>();
  for (const entry of log.toSorted((a, b) => a.startNs - b.startNs)) {
    const { host, path, startNs } = entry;
    const near = phasesBefore(phases, startNs, inForceNs);
    const url = `http://${host}:${httpPort}${path}`;
    const isPage = path !== '/' && path !== '/robots.txt';
    if (isPage && near.every((phase) => isExcluded(url, phase))) lateRequests++;
    const before = last.get(host);
    if (before) {
      gapsJudged++;
      const [pauseMs, leastMs] = [(startNs - before.endNs) / 1e6, Math.min(...near.map(gapOf))];
      if (pauseMs < leastMs - 1) {
        gapViolations++;
        const agoMs = Math.round((startNs - (near.at(-1)?.ackedNs ?? startNs)) / 1e6);
        console.error(
          `  ${host}: ${Math.round(pauseMs)} ms of ${leastMs}, ${agoMs} ms after the last edit: ${path}`,
        );
      }
    }
    last.set(host, entry);
  }
  return { lateRequests, gapViolations, gapsJudged };
}

/** What a narrower scope refused stays refused. */
const oneWay: Change = {
  file: 'packages/coordinator/src/crawl/scope-sweep.ts',
  from: "frontier.retry(crawl, { filter: { reason: 'scope' }, after, only: fits }),",
  to: "frontier.retry(crawl, { filter: { reason: 'scope' }, after, only: () => false }),",
};

/** On one coordinator, at a pace that leaves a queue: everything leaves the scope, and comes back. */
async function runControl(under: string): Promise<{ leftOut: number }> {
  mkdirSync(under, { recursive: true });
  const fake = await startFakeWeb({ size: 'S', seed: 6 });
  let network: Network | undefined;
  try {
    const hosts = hostsOf(fake, 2);
    const job = join(under, 'job.json');
    await writeJob(job, jobOf(fake, hosts, initialSettings([1_000])));
    const command = copyWith([oneWay], join(under, 'source'));
    network = await startNetwork({ job, under, coordinators: 1, workers: 1, command });
    const client = await clientOf(network.coordinators[0] as CoordinatorProcess);
    const queued = async () => (await client.getCrawl({ params })).progress?.balance.queued ?? 0;
    await until('a queue', async () => (await queued()) >= 5, 60_000);
    const rescoped = async (exclude: { regex: string }[]) => {
      await client.editCrawl({ params, body: { changes: { scope: { exclude } }, rescope: true } });
      const isSwept = async () =>
        (await client.listEdits({ params })).items.every(({ sweep }) => sweep?.state === 'done');
      await until('the queue to be looked through', isSwept, 60_000);
    };
    await client.pauseCrawl({ params });
    await rescoped([{ regex: '.' }]);
    await rescoped([]);
    const { items, next } = await client.listUrls({ params, query: { reason: 'scope', limit: 1000 } });
    return { leftOut: next === undefined ? items.length : 0 };
  } finally {
    await network?.end();
    await fake.stop();
  }
}
