import { Button } from '@mantine/core';
import type { HostGraph } from '@webfarer/protocol/api';
import { useState } from 'react';
import { graphText } from '../../text/graph-text.ts';
import { useFormats, useTextOf } from '../../text/use-text.tsx';

const rowsAtOnce = 25;

interface HostTableProps {
  graph: HostGraph;
  /** Places of the hosts that the search has found. */
  found: readonly number[];
  isSought: boolean;
  chosen: number | undefined;
  choose: (at: number) => void;
}

/** What the map shows, for the keyboard and for those who cannot see it. */
export function HostTable({ graph, found, isSought, chosen, choose }: HostTableProps) {
  const { table: words, noMatch } = useTextOf(graphText);
  const { count } = useFormats();
  const [most, setMost] = useState(rowsAtOnce);
  const shown = found.slice(0, most);
  return (
    <section className="panel part host-rows" aria-label={words.title}>
      <h2>{words.title}</h2>
      {isSought && found.length === 0 ? (
        <p className="soft" role="status">
          {noMatch}
        </p>
      ) : (
        <div className="scroll">
          <table>
            <thead>
              <tr>
                <th>{words.host}</th>
                <th className="state-cell">{words.state}</th>
                <th className="num">{words.pages}</th>
                <th className="num">{words.linksIn}</th>
                <th className="num">{words.linksOut}</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((at) => {
                const node = graph.hosts[at];
                if (!node) return null;
                return (
                  <tr key={node.host} aria-current={at === chosen ? 'true' : undefined}>
                    <td className="name">
                      <button type="button" className="as-link" onClick={() => choose(at)}>
                        <bdi>{node.host}</bdi>
                      </button>
                    </td>
                    <td className="state-cell">{node.crawled ? words.yes : words.no}</td>
                    <td className="num">{count(node.pages)}</td>
                    <td className="num">{count(node.linksIn)}</td>
                    <td className="num">{count(node.linksOut)}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      {found.length > shown.length ? (
        <Button variant="default" onClick={() => setMost(most + 10 * rowsAtOnce)}>
          {words.more}
        </Button>
      ) : null}
    </section>
  );
}
