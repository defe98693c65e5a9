import { monotonicNs } from '../fake-web/request-log.ts';
import { giveOrder, resumeAmongOthers } from './give-order.ts';
import { type History, isThere, jobOf, pace, someLimit, type Stage } from './history.ts';
import { shownEverywhere, untilOver } from './waits.ts';

/** Orders at random, several at once and at different coordinators; then the last ones, after which the crawl must end. */
export async function playHistory(stage: Stage, history: History): Promise<void> {
  const { fake, network, random, kinds } = stage;
  const { name } = history;
  const params = { crawl: name };
  if (kinds.includes('limit') && random.below(2) === 0) {
    history.limit = someLimit(stage, history);
    history.mostEver = history.limit;
  }
  const job = jobOf(fake, history) as unknown as Record<string, unknown>;
  await network.order((client) => client.createCrawl({ body: { job } }).catch(isThere));
  for (let n = 0; n < stage.orders; n++)
    if ((await giveOrder(stage, history, random.pick(kinds))) === 'gone') return;
  if (history.limit !== 'none' && history.isCounted) {
    await resumeAmongOthers(stage, history);
    if (!(await endAtLimit(stage, history, history.limit))) return;
  }
  await network.order((client) => client.pauseCrawl({ params }));
  const changes = { limits: { pages: 'none' }, politeness: { gap: pace.quick } };
  await network.order((client) => client.editCrawl({ params, body: { changes } }));
  await resumeAmongOthers(stage, history);
  await untilOver(stage, history);
  if (history.stuck !== undefined) return;
  await judgeEnd(stage, history);
  await network.order((client) => client.deleteCrawl({ params }), ['not-found']);
  history.goneNs = monotonicNs();
}

/** False: it does not end. */
async function endAtLimit(stage: Stage, history: History, limit: number): Promise<boolean> {
  const { done, at } = await untilOver(stage, history, limit);
  history.over = Math.max(0, done - history.mostEver);
  if (at === 'limited') history.under = Math.max(0, limit - done);
  return history.stuck === undefined;
}

/** What coordinators say of a crawl that has ended. */
async function judgeEnd(stage: Stage, history: History): Promise<void> {
  const { network } = stage;
  const { name, hosts, forgotten, pagesEach } = history;
  const params = { crawl: name };
  history.isWhole = true;
  await shownEverywhere(stage, history, 'finished');
  const shown = await network.look((client) => client.getCrawl({ params }));
  const kept = hosts.filter((host) => !forgotten.has(host.name));
  history.miscounted = Math.abs((shown?.progress?.balance.done ?? 0) - kept.length * pagesEach);
  for (const { items } of await network.all((client) => client.listForgotten({ params }))) {
    const listed = new Set(items.map(({ pattern }) => pattern));
    history.unbarred += [...forgotten.keys()].filter((host) => !listed.has(host)).length;
  }
}
