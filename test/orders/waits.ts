import { setTimeout as pauseFor } from 'node:timers/promises';
import type { CrawlDetail } from '@webfarer/protocol/api';
import { type History, isThere, jobOf, newHistory, note, pace, type Stage } from './history.ts';

/** Coordinators look at the catalog each second; one that shows something else after so many looks at it has lost an order. */
const agreeing = { ms: 12_000, looks: 40 };
/** Draws of pages under a limit run out after 15 s; nothing else of a crawl lasts longer than its hosts are held. */
const quietMs = { limited: 18_000, else: 5_000 };
/** The network does nothing more for any crawl. */
const deadMs = 180_000;

const isOver = (state: string) => state === 'finished' || state === 'limited';

type Shown = 'running' | 'paused' | 'finished';

/** What its entry in the catalog says: the last order, by whichever coordinator it was given. */
async function orderedLast({ network }: Stage, { name }: History): Promise<Shown> {
  const paused = await network.look((client) =>
    client.listCrawls({ query: { state: ['paused'], limit: 200 } }),
  );
  return paused?.items.some((item) => item.name === name) ? 'paused' : 'running';
}

/** Until all coordinators show the crawl as it was ordered last, or as over. */
export async function shownEverywhere(stage: Stage, history: History, end?: 'finished'): Promise<Shown> {
  const params = { crawl: history.name };
  const untilMs = performance.now() + agreeing.ms;
  for (let looks = 1; ; looks++) {
    const wanted = end ?? (await orderedLast(stage, history));
    const states = await stage.network.all(async (client) => (await client.getCrawl({ params })).state);
    if (states.every((state) => state === wanted || (wanted === 'running' && isOver(state)))) return wanted;
    if (looks >= agreeing.looks && performance.now() > untilMs) {
      history.differing++;
      note(history, `(${states.join(', ')} in place of ${wanted})`);
      return wanted;
    }
    await pauseFor(250);
  }
}

/**
 * Until the crawl is over. It is stuck when nothing of it has changed for a while in which another crawl of the same hosts, at
 * the same coordinators and workers, began and ended: how fast the machine is does not matter.
 */
export async function untilOver(
  stage: Stage,
  history: History,
  limit?: number,
): Promise<{ done: number; at: string }> {
  const params = { crawl: history.name };
  let last = '';
  let sinceMs = performance.now();
  let yardsticks = 0;
  for (;;) {
    const shown = (await stage.network.look((client) => client.getCrawl({ params }))) as CrawlDetail;
    const { state, progress } = shown;
    const done = progress?.balance.done ?? 0;
    if (state === 'finished' || (limit !== undefined && state === 'limited')) return { done, at: state };
    const now = JSON.stringify([state, progress?.balance]);
    if (now !== last) {
      last = now;
      sinceMs = performance.now();
      yardsticks = 0;
    } else if (yardsticks > 0) {
      history.stuck = `${now} ${JSON.stringify(progress?.stall ?? progress?.pause ?? null)}`;
      return { done, at: 'stuck' };
    } else if (performance.now() - sinceMs > (limit === undefined ? quietMs.else : quietMs.limited)) {
      await playYardstick(stage, history);
      yardsticks++;
    }
    await pauseFor(250);
  }
}

/** A crawl of one page of each of these hosts, from its beginning to its end. */
async function playYardstick({ fake, network }: Stage, { name, hosts }: History): Promise<void> {
  const yardstick = newHistory(`yard-${name}-${Math.round(performance.now())}`, hosts, 1);
  const params = { crawl: yardstick.name };
  const job = { ...jobOf(fake, yardstick), politeness: { gap: pace.quick, slowFactor: 0 } };
  await network.order((client) =>
    client.createCrawl({ body: { job: job as Record<string, unknown> } }).catch(isThere),
  );
  const untilMs = performance.now() + deadMs;
  for (;;) {
    const shown = await network.look((client) => client.getCrawl({ params }));
    if (shown?.state === 'finished') break;
    // Nothing can be said of a crawl where none ends.
    if (performance.now() > untilMs)
      throw new Error(`no crawl ends any more: ${JSON.stringify(shown?.progress)}`);
    await pauseFor(250);
  }
  await network.order((client) => client.deleteCrawl({ params }), ['not-found']);
}
