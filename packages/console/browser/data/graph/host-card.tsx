import { Link } from '@tanstack/react-router';
import type { HostGraph } from '@webfarer/protocol/api';
import { graphText } from '../../text/graph-text.ts';
import { useFormats, useTextOf } from '../../text/use-text.tsx';
import type { Neighbour, neighboursOf } from './host-map.ts';

const mostListed = 12;

interface HostCardProps {
  crawl: string;
  graph: HostGraph;
  neighbours: ReturnType<typeof neighboursOf>;
  chosen: number | undefined;
  choose: (at: number | undefined) => void;
}

/** One host: what was fetched from it, who links to it and whom it links to. */
export function HostCard({ crawl, graph, neighbours, chosen, choose }: HostCardProps) {
  const { host: words } = useTextOf(graphText);
  const { count } = useFormats();
  const node = chosen === undefined ? undefined : graph.hosts[chosen];
  if (chosen === undefined || !node) return <MostLinked graph={graph} choose={choose} />;
  return (
    <section className="panel part host-card" aria-live="polite" aria-label={node.host}>
      <h2>
        <bdi>{node.host}</bdi>
      </h2>
      <p className="soft">
        {node.crawled ? words.pages(count(node.pages), count(node.urls)) : words.outsideLead}
      </p>
      <p className="host-links">
        {node.crawled ? (
          <Link to="/crawls/$crawl/urls" params={{ crawl }} search={{ host: node.host }}>
            {words.urls}
          </Link>
        ) : null}
        <button type="button" className="as-link" onClick={() => choose(undefined)}>
          {words.close}
        </button>
      </p>
      <Around
        title={words.from(count(node.hostsIn))}
        total={node.hostsIn}
        of={neighbours.from[chosen] ?? []}
        graph={graph}
        choose={choose}
      />
      <Around
        title={words.to(count(node.hostsOut))}
        total={node.hostsOut}
        of={neighbours.to[chosen] ?? []}
        graph={graph}
        choose={choose}
      />
    </section>
  );
}

function MostLinked({ graph, choose }: Pick<HostCardProps, 'graph' | 'choose'>) {
  const { host: words } = useTextOf(graphText);
  const most = graph.hosts
    .map(({ linksIn }, at) => ({ at, links: linksIn }))
    .filter(({ links }) => links > 0)
    .toSorted((a, b) => b.links - a.links || a.at - b.at)
    .slice(0, mostListed);
  return (
    <section className="panel part host-card" aria-label={words.linksHere}>
      <h2>{words.linksHere}</h2>
      <p className="soft">{words.choose}</p>
      <Hosts of={most} graph={graph} choose={choose} />
    </section>
  );
}

interface AroundProps extends Pick<HostCardProps, 'graph' | 'choose'> {
  title: string;
  /** On the map and beside it. */
  total: number;
  of: readonly Neighbour[];
}

function Around({ title, total, of, graph, choose }: AroundProps) {
  const { host: words } = useTextOf(graphText);
  const { count } = useFormats();
  const shown = of.slice(0, mostListed);
  return (
    <div className="host-around">
      <h3>{title}</h3>
      {total === 0 ? (
        <p className="soft">{words.nobody}</p>
      ) : (
        <Hosts of={shown} graph={graph} choose={choose} />
      )}
      {total > shown.length ? <p className="soft small">{words.more(count(total - shown.length))}</p> : null}
    </div>
  );
}

function Hosts({
  of,
  graph,
  choose,
}: { of: readonly Neighbour[] } & Pick<HostCardProps, 'graph' | 'choose'>) {
  const { count } = useFormats();
  return (
    <ul className="host-list">
      {of.map(({ at, links }) => (
        <li key={at}>
          <button type="button" className="as-link" onClick={() => choose(at)}>
            <bdi>{graph.hosts[at]?.host}</bdi>
          </button>
          <b>{count(links)}</b>
        </li>
      ))}
    </ul>
  );
}
