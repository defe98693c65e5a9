import type { CrawlState, Edge, Job, PageRecord, Url } from '@webfarer/protocol';
import { createScope, hostOf, linkUse, type ScopeDecision } from '@webfarer/protocol/url';
import { type Judgement, judgeRecord } from './judge-record.ts';
import {
  type BrokenLink,
  type FoundOn,
  foundIn,
  type LinkReport,
  type RedirectedLink,
  type UncheckedLink,
} from './link-report.ts';

/** What a crawl recorded, as a check of its links needs it. */
export interface CrawledLinks {
  job: Job;
  seeds: readonly Url[];
  state: CrawlState;
  records(): AsyncIterable<PageRecord>;
  edges(): AsyncIterable<{ from: Url; edges: Edge[] }>;
}

export interface JudgeOptions {
  /** Statuses that count as good. */
  accepted: ReadonlySet<number>;
}

/** How a link ends: what its target, or what that redirects to, turned out to be. */
export interface LinkEnd {
  url: Url;
  /** Undefined: the crawl has no outcome for it. */
  judgement: Exclude<Judgement, { is: 'redirect' }> | undefined;
  via: Url[];
}

export interface JudgedLinks
  extends Pick<LinkReport, 'pages' | 'good' | 'broken' | 'unchecked' | 'redirected'> {
  endOf(url: Url): LinkEnd;
}

const leadsOn = new Set(['sitemap', 'followed']);
/** More redirects than any browser follows. */
const maxRedirects = 50;

/** Judges every link of every page by the outcome of its target. Reads all records, then all links. */
export async function judgeLinks(crawl: CrawledLinks, options: JudgeOptions): Promise<JudgedLinks> {
  const judged = new Map<Url, Judgement>();
  const answered = new Set<string>();
  const hostDead: Url[] = [];
  let pages = 0;
  for await (const record of crawl.records()) {
    judged.set(record.url, judgeRecord(record, options.accepted));
    if (record.status !== undefined) answered.add(hostOf(record.url));
    if (record.reason === 'host-dead') hostDead.push(record.url);
    if (record.kind === 'page' && record.verdict === 'done' && record.reason === 'ok') pages++;
  }
  // The host answered other requests and then stopped: nobody knows whether these links are good.
  for (const url of hostDead)
    if (answered.has(hostOf(url))) judged.set(url, { is: 'unchecked', reason: 'host-dead' });
  const endOf = (url: Url): LinkEnd => follow(judged, url);
  const whyNot = reasonFinder(crawl);
  const broken = new Map<string, BrokenLink>();
  const unchecked = new Map<string, UncheckedLink>();
  const redirected = new Map<string, RedirectedLink>();
  const good = new Set<string>();

  function judge(url: Url, on: FoundOn | undefined, link: { nofollow: boolean; required: boolean }): void {
    const end = endOf(url);
    const { judgement, via } = end;
    if (judgement?.is === 'broken') {
      const { is: _, ...why } = judgement;
      return foundIn(broken, { url, kind: 'link', ...why, ...(via.length > 0 ? { via } : {}), on: [] }, on);
    }
    if (judgement?.is === 'good') {
      good.add(url);
      const first = judged.get(url);
      if (first?.is === 'redirect' && on)
        foundIn(redirected, { url, to: end.url, status: first.status, on: [] }, on);
      return;
    }
    // Images and the like are only requested where the crawl was asked to.
    if (!judgement && !link.required) return;
    const depth = on === undefined ? 0 : depthOf(judged.get(on.page)) + 1;
    const why = judgement ?? whyNot({ url: end.url, depth, hops: via.length, nofollow: link.nofollow });
    const { reason, detail } = why;
    foundIn(unchecked, { url, reason, ...(detail === undefined ? {} : { detail }), on: [] }, on);
  }

  for (const seed of crawl.seeds) judge(seed, undefined, { nofollow: false, required: true });
  for await (const { from, edges } of crawl.edges()) {
    for (const { to, rel, text = '', nofollow = false } of edges) {
      const use = leadsOn.has(rel) ? 'page' : linkUse(rel);
      // Where a redirect leads is part of the link that was followed; a form is not a link to visit.
      if (rel === 'redirect' || use === 'edge') continue;
      judge(to, { page: from, text, rel }, { nofollow, required: use === 'page' });
    }
  }
  return {
    pages,
    good: [...good],
    broken: [...broken.values()],
    unchecked: [...unchecked.values()],
    redirected: [...redirected.values()],
    endOf,
  };
}

function depthOf(judgement: Judgement | undefined): number {
  return judgement?.is === 'good' ? judgement.depth : 0;
}

function follow(judged: ReadonlyMap<Url, Judgement>, from: Url): LinkEnd {
  const via: Url[] = [];
  const been = new Set<Url>();
  let url = from;
  for (;;) {
    const judgement = judged.get(url);
    if (judgement?.is !== 'redirect') return { url, judgement, via };
    been.add(url);
    const { to, status } = judgement;
    const broken = (reason: string): LinkEnd => ({ url, judgement: { is: 'broken', reason, status }, via });
    if (to === undefined) return broken('redirect-invalid');
    via.push(to);
    if (been.has(to)) return broken('redirect-loop');
    if (via.length > maxRedirects) return broken('redirect-limit');
    url = to;
  }
}

interface Unreached {
  url: Url;
  depth: number;
  hops: number;
  nofollow: boolean;
}

/** Why the crawl has no outcome for a link, by its rules. */
function reasonFinder({
  job,
  seeds,
  state,
}: CrawledLinks): (link: Unreached) => { reason: string; detail?: string } {
  const scope = createScope(job, seeds);
  const checks = job.scraper.kind === 'site' && job.scraper.check;
  return ({ url, depth, hops, nofollow }) => {
    if (nofollow) return { reason: 'nofollow' };
    const link = { url, depth, hops, parentCost: 0 };
    let decision: ScopeDecision = scope.decide({ ...link, kind: 'page' });
    if (!decision.in && decision.reason === 'scope' && checks)
      decision = scope.decide({ ...link, kind: 'check' });
    if (!decision.in) return { reason: decision.reason, ...(decision.rule ? { detail: decision.rule } : {}) };
    return { reason: state === 'finished' ? 'not-followed' : 'not-reached' };
  };
}
