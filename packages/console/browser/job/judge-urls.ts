import type { Job } from '@webfarer/protocol';
import { paceChooser, portAllowed, renderChooser } from '@webfarer/protocol/job';
import { createScope, hostOf, normaliser, seedUrl } from '@webfarer/protocol/url';

/** What a job would do with a URL that a page of the crawl links to. */
export interface Judged {
  typed: string;
  /** As the crawl would know it; undefined: it is no address. */
  url?: string;
  isIn: boolean;
  /** Why it is not crawled. */
  reason?: string;
  /** What decided, as the job says it. */
  rule?: string;
  label?: string;
  /** It is shown in a browser, or may be. */
  render?: 'auto' | 'always';
}

export const mostJudged = 20;

/** One link away from a beginning; judged by the code of the crawl, without any request. */
export function judgeUrls(job: Job, typed: readonly string[]): Judged[] {
  const seeds = job.seeds.flatMap((seed) => {
    const [url] = 'file' in seed ? [] : seedUrl('url' in seed ? seed.url : seed.sitemap);
    return url === undefined ? [] : [url];
  });
  const scope = createScope(job, seeds);
  const [normalise, paceOf] = [normaliser(job.normalise), paceChooser(job)];
  const renderOf = renderChooser(job, seeds.map(hostOf));
  return typed.slice(0, mostJudged).map((text) => {
    const [plain] = seedUrl(text);
    const url = plain === undefined ? undefined : normalise(plain);
    if (url === undefined) return { typed: text, isIn: false, reason: 'invalid' };
    const no = (reason: string, rule: string | undefined): Judged => ({
      typed: text,
      url,
      isIn: false,
      reason,
      ...(rule === undefined ? {} : { rule }),
    });
    const isSeed = seeds.includes(url);
    const decision = scope.decide({ url, depth: isSeed ? 0 : 1, parentCost: 0, kind: 'page', hops: 0 });
    if (!decision.in) return no(decision.reason, decision.rule);
    const host = hostOf(url);
    const pace = paceOf(host);
    if (pace.block) return no('blocked', `politeness.hosts: ${pace.match ?? ''}`);
    const port = /^https?:\/\/[^/?#]*:(\d+)/.exec(url)?.[1];
    if (port !== undefined && !portAllowed(job.fetch.ports, Number(port)))
      return no('port', `fetch.ports: ${port}`);
    const { render } = renderOf(url);
    return {
      typed: text,
      url,
      isIn: true,
      ...(decision.label === undefined ? {} : { label: decision.label }),
      ...(render === 'never' ? {} : { render }),
    };
  });
}
