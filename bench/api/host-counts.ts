import type { CrawlId, HostKey } from '../../packages/protocol/src/index.ts';
import { openRedisFrontier, openStore, type RedisStore } from '../../packages/coordinator/src/redis.ts';
import type { StoreCall } from '../../packages/coordinator/src/redis/client/call.ts';
import { scripts } from '../../packages/coordinator/src/redis/client/scripts.ts';
import { systemClock } from '../../packages/protocol/src/index.ts';
import { createHostSampler } from '../../packages/coordinator/src/crawl/host-sampler.ts';
import { mostFollowed } from '../../packages/coordinator/src/history/host-samples.ts';
import { slotMs } from '../../packages/coordinator/src/history/samples.ts';
import { storeTag } from '../../packages/coordinator/src/redis/keys.ts';
import { openOurs } from '../redis/contenders.ts';
import { linkSource } from '../redis/links.ts';
import { type Ratio, ratioOf } from '../broad/statistics.ts';

export interface HostCountFigures {
  /** In the middle of the rounds, for one list: CPU of the store, and until it was there. */
  storeMs: Record<Question, number>;
  wallMs: Record<Question, number>;
  /** CPU of the store for a list with counts, in lists without them of the same round. */
  countsCost: Ratio;
  /** What up to 200 hosts did, recorded for this many steps: CPU of the store for each, and what it keeps of them. */
  recorded: { steps: number; hosts: number; storeMs: number; keptBytes: number; overBytes: number };
  /** All lists had this many hosts, and those with counts all their pages. */
  right: boolean;
}

type Question = 'with' | 'without' | 'sums';

const crawl = 'bench' as CrawlId;
const listsPerRound = 5;

/**
 * The list of all hosts of a crawl on Redis, with what it counts of each host and without, in turns; and the same counts
 * read by the names of the hosts.
 */
export async function hostCounts(size: {
  hosts: number;
  known: number;
  rounds: number;
  /** Of 20 s. */
  steps: number;
}): Promise<HostCountFigures> {
  const { hosts, known, rounds, steps } = size;
  const ours = await openOurs({ connections: 4, strict: false });
  const clock = systemClock();
  const lists = { counts: true };
  const store = switching(await openStore({ url: ours.servers.url, replicas: 0, clock }), lists);
  const frontier = await openRedisFrontier({ store, clock });
  try {
    const web = linkSource({ hosts });
    let fetched = 0;
    while (web.known < known) {
      await ours.offer(web.batch(Math.min(5_000, known - web.known), 0));
      fetched += await ours.fetch(500);
    }
    // A coordinator that works on the crawl knows which groups have hosts of it.
    const all = web.batch(0, 20 * hosts).map(({ offer }) => offer);
    await frontier.offer(crawl, all);
    const names = (await frontier.waiting(crawl, hosts)).map(({ host }) => host);
    const pages = (of: Iterable<{ pages: number }>) => [...of].reduce((sum, one) => sum + one.pages, 0);
    const ask: Record<Question, () => Promise<boolean>> = {
      async with() {
        lists.counts = true;
        const found = await frontier.waiting(crawl, hosts);
        return found.length === names.length && pages(found) === fetched;
      },
      async without() {
        lists.counts = false;
        return (await frontier.waiting(crawl, hosts)).length === names.length;
      },
      async sums() {
        const found = await frontier.hostSums(crawl, names);
        return found.size === names.length && pages(found.values()) === fetched;
      },
    };
    const questions = Object.keys(ask) as Question[];
    const cpu: Record<Question, number[]> = { with: [], without: [], sums: [] };
    const wall: Record<Question, number[]> = { with: [], without: [], sums: [] };
    for (const question of questions) await ask[question]();
    let isRight = names.length > 0;
    for (let round = 0; round < rounds; round++)
      for (const question of round % 2 === 0 ? questions : questions.toReversed()) {
        const [startedMs, usedMs] = [performance.now(), ours.cpu()];
        for (let n = 0; n < listsPerRound; n++) isRight = (await ask[question]()) && isRight;
        wall[question].push((performance.now() - startedMs) / listsPerRound);
        cpu[question].push((ours.cpu() - usedMs) / listsPerRound);
      }
    const middle = (of: Record<Question, number[]>) =>
      Object.fromEntries(questions.map((each) => [each, ratioOf(of[each]).median ?? 0])) as Record<
        Question,
        number
      >;
    const recorded = await record(ours, names.slice(0, mostFollowed), steps);
    return {
      recorded,
      storeMs: middle(cpu),
      wallMs: middle(wall),
      countsCost: ratioOf(cpu.with.map((ms, round) => ms / (cpu.without[round] ?? ms))),
      right: isRight,
    };
  } finally {
    await frontier.close();
    await ours.close();
  }
}

/** Hosts that are recorded as a coordinator does, in time that is given. */
async function record(
  { servers, cpu, store }: Awaited<ReturnType<typeof openOurs>>,
  hosts: readonly HostKey[],
  steps: number,
): Promise<HostCountFigures['recorded']> {
  let nowMs = Date.now();
  const clock = { ...systemClock(), now: () => nowMs };
  const own = await openStore({ url: servers.url, replicas: 0, clock: systemClock() });
  const frontier = await openRedisFrontier({ store: own, clock, time: 'given' });
  const { saw, sample } = createHostSampler({
    crawl,
    history: frontier.hostHistory,
    frontier,
    claim: undefined,
  });
  const keptBytes = async () => {
    const args = ['MEMORY', 'USAGE', `${storeTag}1b`, 'SAMPLES', 0];
    return Number((await store.run([{ key: storeTag, args }]))[0]);
  };
  for (const host of hosts)
    saw({ host, settled: [], news: { endedAgoMs: 0, gapMs: 0, why: 'gap', health: 'trouble' } });
  const usedMs = cpu();
  for (let step = 0; step < steps; step++, nowMs += slotMs) await sample({ last: false, over: false });
  const storeMs = (cpu() - usedMs) / steps;
  const kept = await keptBytes();
  await sample({ last: true, over: true });
  const overBytes = await keptBytes();
  await frontier.close();
  return { steps, hosts: hosts.length, storeMs, keptBytes: kept, overBytes };
}

/** The same store; without counts its lists of hosts are as short as they can be. */
function switching(store: RedisStore, lists: { counts: boolean }): RedisStore {
  const { waiting } = scripts;
  const stamp = waiting.name.split('_').at(-1) ?? '';
  const other = 'b'.repeat(stamp.length);
  const text = waiting.text
    .replace(/h\.why, '',\s+text\(p\.dp\), text\(p\.by\), text\(p\.tr\) \}/, "h.why, '' }")
    .replaceAll(stamp, other);
  if (text.length >= waiting.text.length) throw new Error('the script that lists hosts has changed');
  const plain = { ...waiting, name: waiting.name.replace(stamp, other), sha: other.repeat(4), text };
  const plainly = (call: StoreCall): StoreCall =>
    call.script === waiting && !lists.counts ? { ...call, script: plain } : call;
  return {
    ...store,
    run: (calls, options) => store.run(calls.map(plainly), options),
    runTelling: (held, calls, options) => store.runTelling(held, calls.map(plainly), options),
  };
}
