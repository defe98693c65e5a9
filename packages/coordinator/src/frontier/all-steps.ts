import type { CrawlId } from '@webfarer/protocol';
import type { DropReason, Frontier, QueueFilter, UrlStep, UrlStepAnswer } from './frontier.ts';
import type { RecordFilter } from '../results/results.ts';

type Only = UrlStep<unknown>['only'];
/** Every URL. */
export const anyUrl: Only = () => true;

/** Puts all settled URLs that match back into the queue. Answers how many. */
export function retryAll(
  frontier: Pick<Frontier, 'retry'>,
  crawl: CrawlId,
  filter: RecordFilter,
  only = anyUrl,
): Promise<number> {
  return allSteps((after) => frontier.retry(crawl, { filter, after, only }));
}

/** Takes all queued URLs that match from the queue, for this reason. Answers how many. */
export function dropAll(
  frontier: Pick<Frontier, 'drop'>,
  crawl: CrawlId,
  { filter, only = anyUrl, reason }: { filter: QueueFilter; only?: Only; reason: DropReason },
): Promise<number> {
  return allSteps((after) => frontier.drop(crawl, { filter, after, only }, reason));
}

async function allSteps(step: (after: string) => Promise<UrlStepAnswer>): Promise<number> {
  let moved = 0;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const answer: UrlStepAnswer = await step(after);
    moved += answer.moved;
    after = answer.next;
  }
  return moved;
}
