import type { JobInput } from '@webfarer/protocol';
import { until } from '../../test/prove/lab.ts';
import { noLimits } from '../no-limits.ts';
import { type HostKind, type Origin, startOrigin } from './origin.ts';
import { type Held, type Look, type Parts, startParts, type StoreKind } from './parts.ts';

export interface Task {
  store: StoreKind;
  /** Numbers of crawls that are open at once, rising. */
  sizes: number[];
  coordinators: number;
  under: string;
}

/** `waiting`: their host is due in an hour. `slow`: a page every ten seconds. `over`: they have finished. */
export const states = ['waiting', 'slow', 'over'] as const;
export type State = (typeof states)[number];

/** What so many crawls cost while nothing is asked of them. */
export interface Row extends Held, Rates {
  state: State;
  crawls: number;
}

export interface Rates {
  coordinatorCpuPercent: number;
  storeCpuPercent: number;
  commandsPerSecond: number;
}

/** One call of the API, and what followed it within a moment; what went on anyway is taken off. */
export interface Cost {
  ms: number;
  commands: number;
  coordinatorCpuMs: number;
  storeCpuMs: number;
}

export type OperationName = 'create' | 'pause' | 'resume' | 'stop' | 'delete';

export interface Found {
  rows: Row[];
  /** Of one more crawl, beside the largest number that waits. */
  operations: Record<OperationName, Cost>;
  /** The first coordinator, with the largest number that waits. */
  restart: { readyMs: number; cpuMs: number };
  /** From the call to the first request, while another team has a busy crawl. */
  firstFetchMs: number[];
  /** How long it took to create all that wait, in turns. */
  createdInMs: number;
}

const gaps: Record<State, string> = { waiting: '1h', slow: '10s', over: '100ms' };
const kinds: Record<State, HostKind> = { waiting: 'endless', slow: 'endless', over: 'single' };
const times = { settleMs: 20_000, windowMs: 30_000, afterMs: 1_000, samples: 5 };
/** Crawls of the team that keeps the worker busy, and hosts of each. */
const busy = { hosts: 20, gap: '100ms' };
/** Crawls that are created at once. */
const creators = 4;
const patienceMs = 300_000;

export async function measureNetwork(task: Task): Promise<Found> {
  const origin = await startOrigin();
  try {
    const waiting = await withParts(task, origin, 'waiting');
    const rows = waiting.rows;
    for (const state of ['slow', 'over'] as const) rows.push(...(await withParts(task, origin, state)).rows);
    const { operations, restart, firstFetchMs, createdInMs } = waiting;
    if (!operations || !restart) throw new Error('nothing was measured');
    return { rows, operations, restart, firstFetchMs, createdInMs };
  } finally {
    await origin.stop();
  }
}

interface World {
  task: Task;
  origin: Origin;
  parts: Parts;
}

async function withParts(task: Task, origin: Origin, state: State) {
  const under = `${task.under}/${state}`;
  const parts = await startParts(task.store, { under, coordinators: task.coordinators });
  const world = { task, origin, parts };
  try {
    const rows: Row[] = [];
    const isMain = state === 'waiting';
    // The other two states differ from it in what changes with the number, so the largest is enough.
    const sizes = isMain ? task.sizes : task.sizes.slice(-1);
    let open = 0;
    let createdInMs = 0;
    for (const size of sizes) {
      const startedMs = performance.now();
      await createSome(world, state, { from: open, to: size });
      createdInMs += performance.now() - startedMs;
      open = size;
      rows.push(await rowOf(world, state, open));
      say(rows.at(-1) as Row);
    }
    if (!isMain) return { rows, firstFetchMs: [], createdInMs };
    const operations = await costOfOperations(world);
    const firstFetchMs = await firstFetches(world);
    const restart = await parts.restart();
    return { rows, operations, restart, firstFetchMs, createdInMs };
  } finally {
    await parts.stop();
  }
}

function say({ state, crawls, commandsPerSecond, coordinatorCpuPercent }: Row): void {
  const rate = Math.round(commandsPerSecond);
  console.error(
    `  ${crawls} ${state}: ${rate} commands/s, coordinator ${coordinatorCpuPercent.toFixed(1)} %`,
  );
}

function jobOf(name: string, seeds: string[], { gap, team }: { gap: string; team?: string }): JobInput {
  return {
    name,
    seeds,
    contact: 'https://lab.test/crawler',
    limits: noLimits,
    politeness: { gap, slowFactor: 0 },
    fetch: { allowPrivate: ['127.0.0.0/8'] },
    save: ['none'],
    ...(team === undefined ? {} : { team }),
  };
}

/** Creates crawls, some at a time, and waits until the host of each has been asked for something. */
async function createSome(
  { origin, parts }: World,
  state: State,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const urls: string[] = [];
  let next = from;
  const create = async () => {
    while (next < to) {
      const number = next++;
      const url = await origin.addHost(kinds[state]);
      urls.push(url);
      await parts.create(jobOf(`${state}-${number}`, [url], { gap: gaps[state] }));
    }
  };
  await Promise.all(Array.from({ length: creators }, create));
  const areAsked = () => urls.every((url) => origin.firstAskedAtMs(url) !== undefined);
  await until('the first request of each crawl', areAsked, patienceMs);
  if (state === 'over')
    for (let number = from; number < to; number++)
      await until('a crawl to be over', () => isOver(parts, `${state}-${number}`), patienceMs);
}

async function isOver(parts: Parts, name: string): Promise<boolean> {
  const { state } = (await parts.ask('GET', `/v1/crawls/${name}`)) as { state: string };
  return state === 'finished';
}

async function rowOf({ parts }: World, state: State, crawls: number): Promise<Row> {
  const { settleMs, windowMs } = times;
  await later(settleMs);
  const before = await parts.look();
  await later(windowMs);
  const rates = ratesOf(before, await parts.look());
  return { state, crawls, ...rates, ...(await parts.held()) };
}

function ratesOf(before: Look, after: Look): Rates {
  const ms = after.atMs - before.atMs;
  return {
    coordinatorCpuPercent: (100 * (after.coordinatorCpuMs - before.coordinatorCpuMs)) / ms,
    storeCpuPercent: (100 * (after.storeCpuMs - before.storeCpuMs)) / ms,
    commandsPerSecond: (1_000 * (after.commands - before.commands)) / ms,
  };
}

async function costOfOperations(world: World): Promise<Record<OperationName, Cost>> {
  const { origin, parts } = world;
  const { afterMs, samples, windowMs } = times;
  const before = await parts.look();
  await later(windowMs);
  const rates = ratesOf(before, await parts.look());

  async function costOf(work: () => Promise<unknown>): Promise<Cost> {
    const from = await parts.look();
    await work();
    const ms = performance.now() - from.atMs;
    await later(afterMs);
    const to = await parts.look();
    const seconds = (to.atMs - from.atMs) / 1_000;
    return {
      ms,
      commands: to.commands - from.commands - seconds * rates.commandsPerSecond,
      coordinatorCpuMs:
        to.coordinatorCpuMs - from.coordinatorCpuMs - seconds * 10 * rates.coordinatorCpuPercent,
      storeCpuMs: to.storeCpuMs - from.storeCpuMs - seconds * 10 * rates.storeCpuPercent,
    };
  }

  const costs: Record<OperationName, Cost[]> = { create: [], pause: [], resume: [], stop: [], delete: [] };
  for (let n = 0; n < samples; n++) {
    const name = `one-more-${n}`;
    const job = jobOf(name, [await origin.addHost('endless')], { gap: gaps.waiting });
    costs.create.push(await costOf(() => parts.create(job)));
    for (const verb of ['pause', 'resume', 'stop'] as const)
      costs[verb].push(await costOf(() => parts.ask('POST', `/v1/crawls/${name}/${verb}`)));
    costs.delete.push(await costOf(() => parts.ask('DELETE', `/v1/crawls/${name}`)));
  }
  const median = (list: Cost[], field: keyof Cost) =>
    list.map((cost) => cost[field]).toSorted((a, b) => a - b)[list.length >> 1] ?? 0;
  const of = (list: Cost[]): Cost => ({
    ms: median(list, 'ms'),
    commands: median(list, 'commands'),
    coordinatorCpuMs: median(list, 'coordinatorCpuMs'),
    storeCpuMs: median(list, 'storeCpuMs'),
  });
  return {
    create: of(costs.create),
    pause: of(costs.pause),
    resume: of(costs.resume),
    stop: of(costs.stop),
    delete: of(costs.delete),
  };
}

async function firstFetches({ origin, parts }: World): Promise<number[]> {
  const { samples } = times;
  const hosts = await Promise.all(Array.from({ length: busy.hosts }, () => origin.addHost('endless')));
  await parts.create(jobOf('busy', hosts, { gap: busy.gap, team: 'busy' }));
  const areAsked = () => hosts.every((url) => origin.firstAskedAtMs(url) !== undefined);
  await until('the busy crawl to be at work', areAsked, patienceMs);
  const waits: number[] = [];
  for (let n = 0; n < samples; n++) {
    const url = await origin.addHost('single');
    const postedAtMs = performance.now();
    await parts.create(jobOf(`small-${n}`, [url], { gap: '1s', team: 'small' }));
    await until('the first request', () => origin.firstAskedAtMs(url) !== undefined, patienceMs);
    waits.push((origin.firstAskedAtMs(url) ?? 0) - postedAtMs);
  }
  await parts.ask('DELETE', '/v1/crawls/busy');
  return waits;
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
