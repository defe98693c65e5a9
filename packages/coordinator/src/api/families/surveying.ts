import { WebfarerError } from '@webfarer/protocol';
import type { HostGraph, surveyRoutes } from '@webfarer/protocol/api';
import type { ApiParts } from '../call/api-parts.ts';
import type { HandlersOf } from '../call/call.ts';
import type { SurveyPage } from '../call/crawl-surveys.ts';
import { noSuchCrawl } from '../call/crawl-teams.ts';

/** What a crawl amounts to. */
export function surveyHandlers({ crawls, surveys }: ApiParts): HandlersOf<typeof surveyRoutes> {
  async function find(name: string) {
    const entry = await crawls.find(name);
    if (!entry) throw noSuchCrawl(name);
    if (!surveys) throw notCounted();
    return { entry, surveys };
  }

  return {
    async getStatistics({ params, query }) {
      const found = await find(params.crawl);
      const { head, figures } = shown(await found.surveys.statistics(found.entry, query.id));
      return { ...head, ...(figures ? { statistics: figures } : {}) };
    },
    async getHostGraph({ params, query }) {
      const found = await find(params.crawl);
      const { head, figures } = shown(await found.surveys.hostGraph(found.entry, query.id));
      return { ...head, ...(figures ? { graph: firstHosts(figures, query.limit) } : {}) };
    },
  };
}

function shown<Figures>({ isReady, figures, ...rest }: SurveyPage<Figures>) {
  return { head: { ...rest, ready: isReady }, figures };
}

/** The list begins with the hosts that matter most. */
function firstHosts(graph: HostGraph, limit: number): HostGraph {
  return {
    ...graph,
    hosts: graph.hosts.slice(0, limit),
    links: graph.links.filter(([from, to]) => from < limit && to < limit),
  };
}

function notCounted(): WebfarerError {
  return new WebfarerError('usage', 'this coordinator counts no results', {
    next: 'Use webfarer stats in the folder of the crawl.',
  });
}
