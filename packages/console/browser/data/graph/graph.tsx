import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { HostGraph, ShownHostGraph } from '@webfarer/protocol/api';
import { type FormEvent, useDeferredValue, useMemo, useState } from 'react';
import type { Client } from '../../api/client.ts';
import { EmptyState, Problem } from '../../parts/notices.tsx';
import { When } from '../../parts/when.tsx';
import { graphText } from '../../text/graph-text.ts';
import { useFormats, useTextOf } from '../../text/use-text.tsx';
import { SurveyProgress } from '../survey/survey-progress.tsx';
import { useSurvey } from '../survey/use-survey.ts';
import { HostCard } from './host-card.tsx';
import { neighboursOf } from './host-map.ts';
import { HostPicture } from './host-picture.tsx';
import { HostTable } from './host-table.tsx';
import { usePlaces } from './use-places.ts';
import '../../style/crawl.css';
import '../../style/graph.css';

const sizes = [100, 300, 1_000] as const;
const usual = 300;

const askFor = (limit: number) => {
  return async (client: Client, how: { crawl: string; id: string; signal: AbortSignal }) =>
    await client.getHostGraph({
      params: { crawl: how.crawl },
      query: { id: how.id, limit },
      signal: how.signal,
    });
};
const asks = Object.fromEntries(sizes.map((limit) => [limit, askFor(limit)]));

/** The hosts of a crawl and those they link to, as a map and as a table. */
export function Graph({ crawl }: { crawl: string }) {
  const words = useTextOf(graphText);
  const [round, setRound] = useState(0);
  const [limit, setLimit] = useState<number>(usual);
  const { survey, error } = useSurvey(crawl, asks[limit] ?? askFor(usual), round);
  if (error !== undefined) return <Problem error={error} />;
  if (!survey?.graph) return <SurveyProgress of={survey} title={words.title} say={words.reading} />;
  const again = (
    <Button variant="default" onClick={() => setRound(round + 1)}>
      {words.again}
    </Button>
  );
  if (survey.graph.hosts.length === 0)
    return (
      <EmptyState title={words.none}>
        <p>{words.noneLead}</p>
        {again}
      </EmptyState>
    );
  return (
    <Explorer crawl={crawl} survey={survey} graph={survey.graph} limit={limit} setLimit={setLimit}>
      {again}
    </Explorer>
  );
}

interface ExplorerProps {
  crawl: string;
  survey: ShownHostGraph;
  graph: HostGraph;
  limit: number;
  setLimit: (limit: number) => void;
  children: React.ReactNode;
}

function Explorer({ crawl, survey, graph, limit, setLimit, children }: ExplorerProps) {
  const words = useTextOf(graphText);
  const { count } = useFormats();
  const navigate = useNavigate();
  const { host } = useSearch({ from: '/crawls/$crawl/data' });
  const [typed, setTyped] = useState('');
  const sought = useDeferredValue(typed.trim().toLowerCase());
  const places = usePlaces(graph);
  const neighbours = useMemo(() => neighboursOf(graph), [graph]);
  const at = graph.hosts.findIndex((each) => each.host === host);
  const chosen = at < 0 ? undefined : at;
  const around = useMemo(
    () =>
      new Set(
        chosen === undefined
          ? []
          : [...(neighbours.from[chosen] ?? []), ...(neighbours.to[chosen] ?? [])].map((each) => each.at),
      ),
    [neighbours, chosen],
  );
  const found = useMemo(
    () => [...graph.hosts.keys()].filter((i) => graph.hosts[i]?.host.includes(sought)),
    [graph, sought],
  );
  function choose(next: number | undefined): void {
    const name = next === undefined || next === chosen ? undefined : graph.hosts[next]?.host;
    void navigate({
      to: '/crawls/$crawl/data',
      params: { crawl },
      search: { view: 'graph', ...(name === undefined ? {} : { host: name }) },
      replace: true,
      resetScroll: false,
    });
  }
  function submit(event: FormEvent): void {
    event.preventDefault();
    const [first] = [...graph.hosts.keys()].filter((i) =>
      graph.hosts[i]?.host.includes(typed.trim().toLowerCase()),
    );
    if (typed.trim() !== '' && first !== undefined && first !== chosen) choose(first);
  }
  return (
    <>
      <div className="data-tools">
        <form className="data-find" onSubmit={submit}>
          <TextInput
            type="search"
            label={words.find}
            placeholder={words.findHint}
            value={typed}
            data-find
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        </form>
        <div className="actions graph-tools">
          <NativeSelect
            label={words.most.label}
            title={words.most.hint}
            value={String(limit)}
            onChange={(event) => setLimit(Number(event.currentTarget.value))}
            data={sizes.map((size) => ({ value: String(size), label: count(size) }))}
          />
          {children}
        </div>
      </div>
      <p className="soft small graph-lead">
        {words.lead} <Covers survey={survey} graph={graph} /> {words.asOf} <When atMs={survey.atMs} clock />
      </p>
      <div className="graph-sides">
        <section className="panel" aria-label={words.title}>
          {places ? (
            <HostPicture graph={graph} places={places} chosen={chosen} around={around} choose={choose} />
          ) : (
            <p className="soft map-waits" role="status">
              {words.placing(count(graph.hosts.length))}
            </p>
          )}
        </section>
        <HostCard crawl={crawl} graph={graph} neighbours={neighbours} chosen={chosen} choose={choose} />
      </div>
      <HostTable graph={graph} found={found} chosen={chosen} choose={choose} isSought={sought !== ''} />
    </>
  );
}

/** What is on the map, and what is not. */
function Covers({ survey, graph }: { survey: ShownHostGraph; graph: HostGraph }) {
  const words = useTextOf(graphText);
  const { count } = useFormats();
  const { hosts, links, totals, uncounted } = graph;
  const drawn = links.reduce((sum, [, , n]) => sum + n, 0);
  return [
    hosts.length < totals.hosts
      ? words.shown(count(hosts.length), count(totals.hosts))
      : words.all(count(totals.hosts)),
    ...(drawn < totals.links ? [words.links(count(drawn), count(totals.links))] : []),
    ...(uncounted.links > 0 ? [words.uncounted(count(uncounted.links))] : []),
    ...(survey.absent > 0 ? [words.absent(count(survey.absent))] : []),
  ].join(' ');
}
