import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pauseFor } from 'node:timers/promises';
import { type ErrorCode, errorCodes, WebfarerError } from '@webfarer/protocol';
import { type ApiClient, createClient } from '@webfarer/protocol/api';
import { monotonicNs } from '../fake-web/request-log.ts';
import type { Random } from '../fuzz/random.ts';
import type { CoordinatorProcess, Network } from '../network/launcher.ts';

/** From the moment of a kill until the coordinator is at work again. */
export interface Absence {
  fromNs: number;
  toNs: number;
}

/** Coordinators that are given orders while they are killed. */
export interface OrderedNetwork {
  /**
   * Gives an order to any coordinator; where it dies over that, the same order to another one. An order is refused only with
   * one of these codes, or because the crawl changed meanwhile: then it is given again.
   */
  order<T>(call: (client: ApiClient) => Promise<T>, refusals?: readonly ErrorCode[]): Promise<T | undefined>;
  /** Asks any of them; undefined where it answers with one of these codes. */
  look<T>(call: (client: ApiClient) => Promise<T>, refusals?: readonly ErrorCode[]): Promise<T | undefined>;
  /** Gives it to all. False where one refused it for now; one that knows nothing of the crawl has nothing to do. */
  each(call: (client: ApiClient) => Promise<unknown>): Promise<boolean>;
  /** The answers of all, each as soon as it can give one. */
  all<T>(call: (client: ApiClient) => Promise<T>): Promise<T[]>;
  readonly absences: readonly Absence[];
  /** Orders on their way to a coordinator when it was killed. */
  readonly cutOff: number;
  /** Kills no more, and waits until all are back. Throws where one did not come back, or ended by itself. */
  settle(): Promise<void>;
}

const patienceMs = 120_000;
/** Forgetting a host waits for two seconds until all coordinators have heard of it. */
const restNs = 3e9;
const code = (error: unknown) => (error instanceof WebfarerError ? error.code : undefined);
/** The coordinator is not there, or not ready yet. */
const isPassing = (error: unknown) =>
  error instanceof WebfarerError && error.code !== 'conflict' && errorCodes[error.code].retryable;
const isAmong = (error: unknown, codes: readonly ErrorCode[]) => codes.some((one) => one === code(error));

/** `ordersPerKill`: infinite where nothing is killed. */
export async function orderedNetwork(
  { coordinators }: Network,
  { random, ordersPerKill }: { random: Random; ordersPerKill: number },
): Promise<OrderedNetwork> {
  const members = await Promise.all(coordinators.map(member));
  const absences: Absence[] = [];
  let [cutOff, over, sinceKill, restUntilNs] = [0, false, 0, 0];
  let killing: Promise<void> | undefined;
  let failure: unknown;

  async function member(process: CoordinatorProcess) {
    const token = (await readFile(join(process.folder, 'operator.token'), 'utf8')).trim();
    const client = createClient({ url: process.url(), token, fetch });
    return { process, client, underWay: 0 };
  }
  type Member = (typeof members)[number];

  /** A moment after an order has begun, so that it is cut off between two of its steps or just after the last. */
  async function killDuring(to: Member): Promise<void> {
    const { process } = to;
    await pauseFor(random.below(60));
    if (!process.running)
      throw new Error(`${process.name} ended by itself:\n${process.output().slice(-2_000)}`);
    if (to.underWay > 0) cutOff++;
    const fromNs = monotonicNs();
    await process.kill();
    await process.start();
    const toNs = monotonicNs();
    absences.push({ fromNs, toNs });
    // What takes a while must come to its end between two kills, however slow the machine is.
    restUntilNs = toNs + (toNs - fromNs) + restNs;
  }

  async function give<T>(to: Member, call: (client: ApiClient) => Promise<T>): Promise<T> {
    to.underWay++;
    if (!over && !killing && ++sinceKill >= ordersPerKill && monotonicNs() >= restUntilNs) {
      sinceKill = 0;
      killing = killDuring(to)
        .catch((error: unknown) => void (failure ??= error))
        .finally(() => (killing = undefined));
    }
    try {
      return await call(to.client);
    } finally {
      to.underWay--;
    }
  }

  /** Until it is no longer the coordinator or the moment that is at fault. */
  async function insist<T>(choose: () => Member, call: (to: Member) => Promise<T>): Promise<T> {
    const untilMs = performance.now() + patienceMs;
    for (;;) {
      if (failure !== undefined) throw failure;
      try {
        return await call(choose());
      } catch (error) {
        if (!isPassing(error) || performance.now() > untilMs) throw error;
        await pauseFor(100);
      }
    }
  }

  const any = () => random.pick(members);

  return {
    async order(call, refusals = []) {
      for (let tries = 1; ; tries++) {
        try {
          return await insist(any, (to) => give(to, call));
        } catch (error) {
          if (isAmong(error, refusals)) return undefined;
          // Another order of the same crawl came in between.
          if (code(error) !== 'conflict' || tries >= 20) throw error;
          await pauseFor(100);
        }
      }
    },
    async look(call, refusals = []) {
      try {
        return await insist(any, ({ client }) => call(client));
      } catch (error) {
        if (isAmong(error, refusals)) return undefined;
        throw error;
      }
    },
    async each(call) {
      let done = 0;
      for (const one of members) {
        try {
          await insist(
            () => one,
            (to) => give(to, call),
          );
          done++;
        } catch (error) {
          if (code(error) === 'conflict') return false;
          if (code(error) !== 'not-found') throw error;
        }
      }
      return done > 0;
    },
    all: async (call) =>
      await Promise.all(
        members.map((one) =>
          insist(
            () => one,
            ({ client }) => call(client),
          ),
        ),
      ),
    absences,
    get cutOff() {
      return cutOff;
    },
    async settle() {
      over = true;
      await killing;
      if (failure !== undefined) throw failure;
    },
  };
}
