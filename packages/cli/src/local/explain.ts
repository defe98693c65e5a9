import type { Frontier } from '@webfarer/coordinator';
import {
  type CrawlId,
  droppedReasons,
  failedReasons,
  hostOf,
  type Job,
  normaliser,
  originOf,
  type PageRecord,
  refusedReasons,
  type Scope,
  waitReasons,
  WebfarerError,
} from '@webfarer/protocol';
import { robotsVerdict } from '@webfarer/worker';
import type { Explanation } from '../crawl-run.ts';

export interface ExplainOptions {
  crawl: CrawlId;
  job: Job;
  scope: Scope;
  agentToken: string;
  frontier: Pick<Frontier, 'look' | 'robots'>;
}

/** Why a URL is where it is: what the frontier knows of it, else what the rules say about it. */
export async function explainUrl(text: string, options: ExplainOptions): Promise<Explanation> {
  const url = normaliser(options.job.normalise)(text);
  if (url === undefined) {
    throw new WebfarerError('usage', `${text} is not an http or https address`, {
      next: 'Write it whole: https://…',
    });
  }
  const renamed = url === text ? [] : [`stands for ${url}`];
  const story = await options.frontier.look(options.crawl, url);
  if (story?.state === 'settled')
    return { ...settled(story.record), url, lines: [...renamed, ...settled(story.record).lines] };
  if (story?.state === 'leased') {
    return {
      url,
      state: 'in-flight',
      lines: [...renamed, `in flight for ${seconds(story.forMs)}, try ${story.entry.attempt + 1}`],
    };
  }
  if (story?.state === 'queued') {
    const { host, ahead, entry } = story;
    const due = host.dead
      ? 'the host is given up as dead; it will be settled as failed(host-dead)'
      : host.dueInMs > 0
        ? `${host.host} may be asked again in ${seconds(host.dueInMs)} (${waitReasons[host.why]})`
        : `${host.host} is due now`;
    const found = entry.referrer ? [`found on ${entry.referrer}`] : [];
    return {
      url,
      state: 'queued',
      lines: [...renamed, `queued, ${ahead} ahead of it on this host`, due, ...found],
    };
  }
  return await byRules(options, url, renamed);
}

async function byRules(
  options: ExplainOptions,
  url: Explanation['url'],
  lines: string[],
): Promise<Explanation> {
  const verdict = options.scope.decide({ url, depth: 1, parentCost: 0, kind: 'page', hops: 0 });
  if (!verdict.in) {
    const sentence = droppedReasons[verdict.reason];
    const rule = verdict.rule;
    return {
      url,
      state: 'out-of-scope',
      code: verdict.reason,
      ...(rule === undefined ? {} : { rule }),
      lines: [...lines, `not in scope: ${sentence}${rule ? ` (${rule})` : ''}`],
    };
  }
  const copy = await options.frontier.robots(originOf(url));
  const robots = copy ? robotsVerdict(copy, options.agentToken, url) : undefined;
  if (robots && !robots.allowed) {
    const rule = robots.rule ?? 'robots.txt';
    return {
      url,
      state: 'unknown',
      code: 'robots',
      rule,
      lines: [...lines, 'not found on any page so far', `it would be refused: ${rule}`],
    };
  }
  return {
    url,
    state: 'unknown',
    lines: [
      ...lines,
      'in scope, but not found on any page so far',
      `a link to it from ${hostOf(url)} or elsewhere would queue it`,
    ],
  };
}

function settled(record: PageRecord): Omit<Explanation, 'url'> {
  const rule = record.detail;
  const lines = [sentence(record)];
  if (record.redirectTo) lines.push(`redirects to ${record.redirectTo}`);
  if (record.referrer) lines.push(`found on ${record.referrer}`);
  const where = record.saved?.map(
    (at) =>
      `${at.file}${at.offset === undefined ? '' : ` at ${at.offset}`}${at.member === undefined ? '' : ` of the folder ${at.member}`}`,
  );
  if (where?.length) lines.push(`saved in ${where.join(', ')}`);
  return { state: record.verdict, code: record.reason, ...(rule === undefined ? {} : { rule }), lines };
}

function sentence(record: PageRecord): string {
  const why = record.detail ? ` (${record.detail})` : '';
  const tries = record.attempts > 1 ? `, after ${record.attempts} tries` : '';
  if (record.verdict === 'done') return `done: answered ${record.status ?? ''}${tries}`;
  const table: Record<string, string> = record.verdict === 'failed' ? failedReasons : refusedReasons;
  return `${record.verdict}: ${table[record.reason] ?? record.reason}${why}${tries}`;
}

function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 1_000)} s`;
}
