import { setTimeout as pauseFor } from 'node:timers/promises';
import type { ApiClient } from '@webfarer/protocol/api';
import { monotonicNs } from '../fake-web/request-log.ts';
import { type History, note, type OrderKind, pace, someLimit, type Stage } from './history.ts';
import { shownEverywhere } from './waits.ts';

type Wish = 'pause' | 'resume';

/** Retention that the copy of the product takes, and how long it may need to see that a crawl is due. */
const keep = '1s';
const retiredWithinMs = 3_000;

/** Gives one order, which may be several. Gone: the crawl is deleted. */
export async function giveOrder(stage: Stage, history: History, kind: OrderKind): Promise<'gone' | 'there'> {
  await pauseFor(stage.random.below(300));
  return await giving[kind](stage, history);
}

const giving: Record<OrderKind, (stage: Stage, history: History) => Promise<'gone' | 'there'>> = {
  /** Pauses and resumes a few milliseconds apart, each at another coordinator. */
  async flip(stage, history) {
    const { random } = stage;
    const wishes = Array.from({ length: 2 + random.below(3) }, () =>
      random.pick(['pause', 'resume'] as const),
    );
    await flip(stage, history, wishes);
    return 'there';
  },
  async limit(stage, history) {
    history.limit = someLimit(stage, history);
    history.mostEver = Math.max(history.mostEver, history.limit);
    return await edit(stage, history, { limits: { pages: history.limit } });
  },
  pace: (stage, history) =>
    edit(stage, history, { politeness: { gap: stage.random.pick(['200ms', '300ms', pace.slow]) } }),
  async retry({ network, random }, history) {
    const { name: host } = random.pick(history.hosts);
    note(history, `retry ${host}`);
    history.isCounted = false;
    const fromNs = monotonicNs();
    const body = { verdict: 'done', host } as const;
    await network.order((client) => client.retryUrls({ params: { crawl: history.name }, body }));
    history.retried.push({ host, fromNs, toNs: monotonicNs() });
    return 'there';
  },
  async stop({ network, random }, history) {
    const params = { crawl: history.name };
    note(history, 'stop');
    await network.order((client) => client.stopCrawl({ params }));
    if (random.below(2) === 0) await pauseFor(random.below(300));
    await network.order((client) => client.resumeCrawl({ params }));
    return 'there';
  },
  forget,
  retire,
  /** Seldom, because it ends the history. */
  async delete({ network, random }, history) {
    if (random.below(3) > 0) return 'there';
    note(history, 'delete');
    await network.order((client) => client.deleteCrawl({ params: { crawl: history.name } }), ['not-found']);
    history.goneNs = monotonicNs();
    return 'gone';
  },
};

async function edit({ network }: Stage, history: History, changes: Record<string, unknown>) {
  note(history, JSON.stringify(changes));
  await network.order((client) => client.editCrawl({ params: { crawl: history.name }, body: { changes } }));
  return 'there' as const;
}

async function flip(
  { network, random }: Stage,
  history: History,
  wishes: readonly Wish[],
  afterMs: (n: number) => number = () => random.below(40),
): Promise<void> {
  const params = { crawl: history.name };
  note(history, wishes.join('+'));
  await Promise.all(
    wishes.map(async (wish, n) => {
      await pauseFor(afterMs(n));
      const call = (client: ApiClient) =>
        wish === 'pause' ? client.pauseCrawl({ params }) : client.resumeCrawl({ params });
      await network.order(call);
    }),
  );
}

/** Of several orders a resume comes last; where it was a pause after all, it is resumed once more. */
export async function resumeAmongOthers(stage: Stage, history: History): Promise<void> {
  const { network, random } = stage;
  const wishes = ['resume', 'pause', 'resume', 'pause', 'resume'] as const;
  await flip(stage, history, wishes, (n) => n * 25 + random.below(25));
  if ((await shownEverywhere(stage, history)) === 'paused')
    await network.order((client) => client.resumeCrawl({ params: { crawl: history.name } }));
}

/** Each coordinator forgets what it has itself. Sometimes another one resumes the crawl meanwhile. */
async function forget({ network, random }: Stage, history: History): Promise<'there'> {
  const params = { crawl: history.name };
  const { name: host } = random.pick(history.hosts);
  note(history, `forget ${host}`);
  history.isCounted = false;
  await network.order((client) => client.stopCrawl({ params }));
  const body = { host };
  for (let tries = 1; ; tries++) {
    const forgetting = network.each((client) => client.forgetHost({ params, body }));
    if (tries === 1 && random.below(3) === 0) {
      await pauseFor(random.below(200));
      await network.order((client) => client.resumeCrawl({ params }));
    }
    if (await forgetting) break;
    if (tries > 20) throw new Error(`${host} cannot be forgotten in ${history.name}`);
    await network.order((client) => client.stopCrawl({ params }));
    await pauseFor(500);
  }
  history.forgotten.set(host, monotonicNs());
  await network.order((client) => client.resumeCrawl({ params }));
  return 'there';
}

/** It is stopped, and is to be deleted a second later, by whichever coordinator sees it first. Most are resumed about then. */
async function retire(stage: Stage, history: History): Promise<'gone' | 'there'> {
  const { network, random } = stage;
  const params = { crawl: history.name };
  note(history, 'retire');
  // One that reaches its limit is over, and retired as such.
  history.limit = 'none';
  history.mostEver = Number.POSITIVE_INFINITY;
  const changes = { retention: { keep }, limits: { pages: 'none' } };
  const stopped = await network.order(
    async (client) => {
      await client.editCrawl({ params, body: { changes } });
      return await client.stopCrawl({ params });
    },
    ['not-found'],
  );
  if (stopped && random.below(3) > 0) {
    await pauseFor(random.below(retiredWithinMs));
    const resumed = await network.order((client) => client.resumeCrawl({ params }), ['not-found']);
    // Whoever resumes a crawl has it: it is deleted only when all was fetched.
    if (resumed) {
      note(history, 'resumed');
      const lasting = { changes: { retention: null } };
      const edited = await network.order(
        (client) => client.editCrawl({ params, body: lasting }),
        ['not-found'],
      );
      if (edited) return 'there';
      history.isWhole = true;
    }
  }
  for (let looks = 0; looks < 400; looks++) {
    if (!(await network.look((client) => client.getCrawl({ params }), ['not-found']))) {
      history.goneNs = monotonicNs();
      return 'gone';
    }
    await pauseFor(100);
  }
  history.stuck = 'it is not retired';
  return 'gone';
}
