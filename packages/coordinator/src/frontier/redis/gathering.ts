import type { Offer } from '@webfarer/protocol';
import { hostOf } from '@webfarer/protocol/url';
import type { OfferVerdict } from '../frontier.ts';
import type { Context } from './context/context.ts';
import { enter } from './entering.ts';
import type { StoredCrawl } from './context/stored-crawl.ts';
import type { GroupAnswer } from '../../redis/group-runner.ts';
import { offerCall, packOffer, partsOf, type Part, takeVerdicts } from './offering.ts';
import type { OfferRound, OfferRun } from './context/rounds.ts';
import { scripts } from '../../redis/client/scripts.ts';

/** Calls in one run: so many that a primary works on them while the next are being written. */
const callsAtOnce = 128;

/**
 * Offers that several callers bring at the same moment go out together: those to one group are then one call, which
 * costs the store a fraction of one for each. A caller waits only for the groups that it has offered something to.
 */
export async function offerTogether(
  context: Context,
  crawl: StoredCrawl,
  offers: readonly Offer[],
): Promise<OfferVerdict[]> {
  const round = openRound(context, crawl);
  const from = round.offers.length;
  const caller = round.callers.push(from) - 1;
  for (const offer of offers) round.offers.push(offer);
  const runs = await round.sent;
  await Promise.all(runs.filter(({ callers }) => callers.has(caller)).map(({ done }) => done));
  return round.verdicts.slice(from, from + offers.length);
}

function openRound(context: Context, crawl: StoredCrawl): OfferRound {
  const { offerRounds: rounds } = context;
  const open = rounds.get(crawl.c);
  if (open) return open;
  const round: OfferRound = { offers: [], callers: [], verdicts: [], sent: Promise.resolve([]) };
  round.sent = nextTurn().then(() => {
    rounds.delete(crawl.c);
    return send(context, crawl, round);
  });
  rounds.set(crawl.c, round);
  return round;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** OfferRun by run, so that what is ready is on its way while the rest is packed. */
async function send(context: Context, crawl: StoredCrawl, round: OfferRound): Promise<OfferRun[]> {
  const { offers, verdicts } = round;
  const runs: OfferRun[] = [];
  const parts = partsOf(offers.map(({ url }) => context.placeOf(hostOf(url))));
  await enter(
    context,
    crawl,
    parts.map(({ group }) => group),
  );
  for (const some of inRuns(context, parts)) {
    const calls = some.map((part) => {
      const packed = part.indexes.map((i) => packOffer(context, crawl, offers[i] as Offer));
      return offerCall(context, crawl, { group: part.group, offers: packed, script: scripts.offer });
    });
    const take = (answers: GroupAnswer[]) => {
      for (const [n, answer] of answers.entries())
        takeVerdicts(context, crawl, { part: some[n] as Part, answer, verdicts });
    };
    const done = context.groups.run(calls).then(take);
    // Each caller hears of it by itself.
    done.catch(() => undefined);
    runs.push({ callers: callersOf(round, some), done });
    await nextTurn();
  }
  return runs;
}

/** Parts of one group stay in one run, in their order. */
function inRuns({ shards }: Context, parts: Part[]): Part[][] {
  const runs: Part[][] = [];
  const open = new Map<number, Part[]>();
  for (const [i, part] of parts.entries()) {
    const shard = shards.numberOf(part.group);
    let run = open.get(shard);
    const goesOn = parts[i - 1]?.group === part.group;
    if (!run || (run.length >= callsAtOnce && !goesOn)) {
      open.set(shard, (run = []));
      runs.push(run);
    }
    run.push(part);
  }
  return runs;
}

function callersOf({ callers }: OfferRound, parts: Part[]): Set<number> {
  if (callers.length === 1) return new Set([0]);
  const found = new Set<number>();
  for (const { indexes } of parts) {
    for (const i of indexes) found.add(callers.findLastIndex((from) => from <= i));
  }
  return found;
}
