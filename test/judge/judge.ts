import type { Balance } from '@webfarer/protocol';
import { addsUp } from '@webfarer/protocol/crawl';
import type { LogEntry } from '../fake-web/request-log.ts';
import type { ExpectOptions } from '../fake-web/universe.ts';
import type { Web } from '../fake-web/web.ts';
import { type JudgedRecord, judgeRecords, type RecordFindings } from './judge-records.ts';
import { judgeRequests, type RequestFindings } from './judge-requests.ts';

export interface JudgeInput {
  web: Web;
  /** What the crawl's job makes of the web. */
  expect?: ExpectOptions;
  /** The server's own log, of the whole crawl. */
  log: Iterable<LogEntry>;
  records: Iterable<JudgedRecord> | AsyncIterable<JudgedRecord>;
  /** The policy's gap; a host's crawl-delay and Retry-After are asked for besides. */
  gapMs: number;
  /** The policy's `limits.perHost.pages`: what trap hosts may cost. */
  hostPages: number;
  balance?: Balance;
  /** How much shorter than asked a gap may look from the server's side; default 1 ms. */
  epsilonMs?: number;
}

/** All figures are counts of URLs, records or requests unless they say otherwise. Trap hosts stand apart. */
export interface Judgement extends RecordFindings, RequestFindings {
  /** The balance adds up and nothing is left; true when no balance was given. */
  balanced: boolean;
}

/** Compares what a crawl recorded and what the server saw with what is right. */
export async function judge(input: JudgeInput): Promise<Judgement> {
  const { web, log, gapMs, hostPages } = input;
  const expect = input.expect ?? {};
  const epsilonMs = input.epsilonMs ?? 1;
  const records = await judgeRecords({ web, expect, records: input.records, hostPages });
  const requests = judgeRequests({ web, expect, log, gapMs, epsilonMs });
  const { balance } = input;
  const balanced = balance === undefined || (addsUp(balance) && balance.queued + balance.leased === 0);
  return { ...records, ...requests, balanced };
}

/** Does everything hold? A disturbed crawl may have fetched a stated number of URLs again. */
export function holds(judgement: Judgement, allowed: { repeats?: number } = {}): boolean {
  return (
    judgement.recorded === judgement.expected &&
    judgement.lost === 0 &&
    judgement.extra === 0 &&
    judgement.duplicates === 0 &&
    judgement.wrong === 0 &&
    judgement.trapViolations === 0 &&
    judgement.repeats <= (allowed.repeats ?? 0) &&
    judgement.disallowed === 0 &&
    judgement.beforeRobots === 0 &&
    judgement.strays === 0 &&
    judgement.unfetched === 0 &&
    judgement.gapViolations === 0 &&
    judgement.maxInFlightPerHost <= 1 &&
    judgement.balanced
  );
}
