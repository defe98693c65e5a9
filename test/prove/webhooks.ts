// watches: packages/coordinator/src/webhooks, packages/coordinator/src/events, packages/coordinator/src/schedule
// watches: packages/coordinator/src/crawl
// misses: webhook messages that are lost, doubled or wrongly signed
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@webfarer/protocol/api';
import { type SmallSite, startSmallSite } from '../library/small-site.ts';
import { type CoordinatorPart, coordinatorPart } from '../many/coordinator-part.ts';
import { patientFetch } from '../network/patient-fetch.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { type Got, isSigned, startReceiver } from '../webhooks/receiver.ts';
import { argument, until, workFolder } from './lab.ts';

/** So much faster the coordinators see time pass: what waits for a minute is over in five seconds. */
const times = 12;
const patienceMs = 180_000;
const events = [
  'crawl.finished',
  'crawl.limited',
  'crawl.trouble',
  'crawl.threshold-missed',
  'crawl.changed',
] as const;

/**
 * A coordinator with a webhook crawls: it waits for a worker, reaches a limit, finishes, misses a threshold, and
 * finds changed pages in a recrawl. The receiver fails at first, then does not answer, and while it keeps the coordinator
 * waiting that is killed; another time it is killed at the end of a crawl. Each message must arrive, under one id and with
 * one body in all its attempts, rightly signed, with the counts of the site's own log. Controls: a secret that is not the
 * webhook's, and a receiver at a private address that no operator allowed. `--rounds N`.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const rounds = Number(argument(args, '--rounds') ?? (quick ? 1 : 5));
  const all: Verdicts[] = [];
  for (let round = 0; round < rounds; round++) {
    const one = await trial();
    console.error(`  ${JSON.stringify(one)}`);
    all.push(one);
  }
  const sum = (field: keyof Verdicts) => all.reduce((total, one) => total + one[field], 0);
  const zeros = ['missing', 'renamed', 'altered', 'unsigned', 'unexpected', 'miscounted'] as const;
  const fields = Object.keys(all[0] ?? {}) as (keyof Verdicts)[];
  return {
    ok:
      zeros.every((field) => sum(field) === 0) &&
      sum('delivered') === rounds * expected.length &&
      all.every(({ acceptedWithOtherSecret, sentWhereForbidden, heldBack }) => {
        return acceptedWithOtherSecret === 0 && sentWhereForbidden === 0 && heldBack > 0;
      }),
    tooEasy: !all.every(({ refused, cutOff, kills }) => refused > 0 && cutOff > 0 && kills === 2),
    result: { ...Object.fromEntries(fields.map((field) => [field, sum(field)])), sizes: { rounds, times } },
  };
}

interface Verdicts {
  /** Messages that were accepted by the receiver, of those that must be. */
  delivered: number;
  missing: number;
  /** Messages of one event that had more than one id. */
  renamed: number;
  /** Attempts whose body differs from the first. */
  altered: number;
  unsigned: number;
  unexpected: number;
  /** Messages whose figures are not those of the site's own log. */
  miscounted: number;
  attempts: number;
  /** Attempts that the receiver answered with an error. */
  refused: number;
  /** Attempts that ended with the coordinator. */
  cutOff: number;
  kills: number;
  acceptedWithOtherSecret: number;
  sentWhereForbidden: number;
  /** Messages to the forbidden address that say why they were not sent. */
  heldBack: number;
}

const expected = [
  'crawl.trouble first',
  'crawl.trouble limited',
  'crawl.limited limited',
  'crawl.finished first',
  'crawl.threshold-missed first',
  'crawl.finished second',
  'crawl.changed second',
];
const nameOf = ({ type, crawl }: Got) => `${type} ${crawl}`;

async function trial(): Promise<Verdicts> {
  const work = workFolder('webhooks');
  const pages: Record<string, string> = {
    '/': '<a href="/a">a</a> <a href="/b">b</a> <a href="/c">c</a> <a href="/missing">m</a>',
    '/a': 'an apple',
    '/b': 'a bee',
    '/c': 'a cat',
  };
  const site = await startSmallSite(pages);
  let held = false;
  let kills = 0;
  const receiver = await startReceiver('127.0.0.1', ({ type }, attempt) => {
    if (attempt === 1) return 503;
    if (kills > 0 || type === 'crawl.trouble') return 204;
    held = true;
    return 'hold';
  });
  const forbidden = await startReceiver('127.0.0.2', () => 204);
  const coordinator = coordinatorPart({
    name: 'coordinator',
    folder: join(work.path, 'data'),
    withoutLedger: false,
    times,
    webhookPrivate: [receiver.origin],
  });
  mkdirSync(coordinator.folder, { recursive: true });
  const job = (name: string, more: object = {}) => jobOf(site, name, more);
  const arrived = (name: string) => receiver.got.some((one) => nameOf(one) === name);
  const delivered = (name: string) =>
    receiver.got.some((one) => nameOf(one) === name && one.answered === 204);
  try {
    await coordinator.start();
    await coordinator.ready();
    const client = clientOf(coordinator);
    const { secret } = await client.createWebhook({ body: { url: receiver.url, events: [...events] } });
    const other = await client.createWebhook({ body: { url: forbidden.url, events: [...events] } });
    const first = await coordinator.create(job('first', { thresholds: { done: '> 1000' } }));
    await coordinator.create(job('limited', { limits: { pages: 2, minFree: '1MB' } }));
    // Nobody works on them: that is trouble.
    await until(
      'trouble to be told',
      () => ['crawl.trouble first', 'crawl.trouble limited'].every(arrived),
      patienceMs,
    );
    await coordinator.work();
    await until('an attempt that is kept waiting', () => held, patienceMs);
    const restart = async () => {
      await coordinator.kill();
      kills++;
      await coordinator.start();
      await coordinator.takeUp();
      await coordinator.ready();
      await coordinator.work();
    };
    await restart();
    await until('messages of before', () => expected.slice(0, 5).every(delivered), patienceMs);
    const firstLog = site.asked.length;
    pages['/b'] = 'a busy bee';
    pages['/c'] = 'a cat <a href="/d">d</a>';
    pages['/d'] = 'a dog';
    await coordinator.create(job('second'), first.folder);
    // The last page of the recrawl is out, and its end is near.
    await until('the end of the recrawl', () => site.asked.slice(firstLog).includes('/d'), patienceMs);
    await restart();
    await until('every message', () => expected.every(delivered), patienceMs);
    const listed = await clientOf(coordinator).listDeliveries({ params: { webhook: other.id } });
    return {
      ...(await judge(receiver.got, secret, other.secret)),
      kills,
      sentWhereForbidden: forbidden.got.length,
      heldBack: listed.items.filter(({ last }) => last?.error?.includes('globally reachable')).length,
    };
  } catch (error) {
    console.error(coordinator.output().slice(-3_000));
    console.error(receiver.got.map((one) => `${nameOf(one)} ${one.id} ${one.answered}`).join('\n'));
    throw error;
  } finally {
    await coordinator.kill();
    await receiver.stop();
    await forbidden.stop();
    await site.stop();
    work.remove();
  }
}

type Judged = Omit<Verdicts, 'kills' | 'sentWhereForbidden' | 'heldBack'>;

async function judge(got: readonly Got[], secret: string, otherSecret: string): Promise<Judged> {
  const byName = Map.groupBy(got, nameOf);
  const byId = Map.groupBy(got, ({ id }) => id);
  const accepted = [...byName].filter(([, all]) => all.some(({ answered }) => answered === 204));
  const delivered = expected.filter((name) => accepted.some(([one]) => one === name)).length;
  const signed = await Promise.all(got.map((one) => isSigned(one, secret)));
  const otherwise = await Promise.all(got.map((one) => isSigned(one, otherSecret)));
  // A machine that is slow to start a worker makes trouble once more.
  const isOther = (name: string) => !expected.includes(name) && !name.startsWith('crawl.trouble ');
  return {
    delivered,
    missing: expected.length - delivered,
    renamed: [...byName].filter(([name, all]) => expected.includes(name) && isRenamed(name, all)).length,
    altered: [...byId.values()].filter((all) => new Set(all.map(({ body }) => body)).size > 1).length,
    unsigned: signed.filter((good) => !good).length,
    unexpected: [...byName.keys()].filter(isOther).length,
    miscounted: got.filter((one) => !isRightlyCounted(one)).length,
    attempts: got.length,
    refused: got.filter(({ answered }) => answered === 503).length,
    cutOff: got.filter(({ answered }) => answered === undefined).length,
    acceptedWithOtherSecret: otherwise.filter((good) => good).length,
  };
}

/** Trouble that comes back later is another message. */
function isRenamed(name: string, all: readonly Got[]): boolean {
  return !name.startsWith('crawl.trouble ') && new Set(all.map(({ id }) => id)).size > 1;
}

interface Figures {
  data: {
    balance: { known: number };
    byStatus: Record<string, number>;
    changes?: { new: number; changed: number; unchanged: number };
    missed?: { of: string }[];
    pause?: { cause: string };
    limitedBy?: unknown;
  };
}

/** By the pages of the site: five paths at first, of which one is missing; then two changed and one is new. */
function isRightlyCounted(one: Got): boolean {
  const { data } = JSON.parse(one.body) as Figures;
  switch (nameOf(one)) {
    case 'crawl.finished first':
      return data.balance.known === 5 && data.byStatus['200'] === 4 && data.byStatus['404'] === 1;
    case 'crawl.threshold-missed first':
      return data.missed?.length === 1;
    case 'crawl.limited limited':
      return data.limitedBy !== undefined;
    case 'crawl.finished second':
      return data.balance.known === 6;
    case 'crawl.changed second':
      return data.changes?.new === 1 && data.changes.changed === 2 && data.changes.unchanged >= 2;
    default:
      return data.pause?.cause === 'no-worker';
  }
}

function jobOf({ origin }: SmallSite, name: string, more: object) {
  return {
    name,
    seeds: [`${origin}/`],
    politeness: { gap: '10ms', slowFactor: 0 },
    fetch: { allowPrivate: [origin] },
    limits: { minFree: '1MB' },
    save: ['none'],
    ...more,
  };
}

function clientOf({ folder, url }: CoordinatorPart) {
  const token = readFileSync(join(folder, 'operator.token'), 'utf8').trim();
  return createClient({ url: url(), token, fetch: patientFetch });
}
