import { SegmentedControl } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { CrawlStatistics } from '@webfarer/protocol/api';
import { useState } from 'react';
import { barWidth } from '../../parts/bars.tsx';
import { statsText } from '../../text/stats-text.ts';
import { useFormats, useTextOf } from '../../text/use-text.tsx';

const lists = ['largest', 'slowest', 'failing'] as const;
type HostList = (typeof lists)[number];

/** The hosts that stand out, by bytes, by time or by trouble. */
export function HostLists({ crawl, hosts }: { crawl: string; hosts: CrawlStatistics['hosts'] }) {
  const { hosts: words } = useTextOf(statsText);
  const { count, bytes, span } = useFormats();
  const [list, setList] = useState<HostList>('largest');
  const rows = hosts[list];
  const measure = { largest: 'bytes', slowest: 'meanMs', failing: 'failed' } as const;
  const most = Math.max(1, ...rows.map((row) => row[measure[list]]));
  return (
    <section className="panel part stat-hosts" aria-label={words.title}>
      <div className="part-head">
        <h2>{words.title}</h2>
        <SegmentedControl
          className="seg"
          aria-label={words.by}
          value={list}
          onChange={(value) => setList(lists.find((each) => each === value) ?? 'largest')}
          data={lists.map((value) => ({ value, label: words[value] }))}
        />
      </div>
      {rows.length === 0 ? (
        <p className="soft">{words.none}</p>
      ) : (
        <div className="scroll">
          <table className={list}>
            <thead>
              <tr>
                <th>{words.host}</th>
                <th aria-hidden="true" className="bar-cell" />
                <th className="num by-bytes">{words.bytes}</th>
                <th className="num by-time">{words.mean}</th>
                <th className="num by-failed">{words.failed}</th>
                <th className="num by-pages">{words.pages}</th>
                <th className="num">{words.urls}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.host}>
                  <td className="name">
                    <Link to="/crawls/$crawl/urls" params={{ crawl }} search={{ host: row.host }}>
                      <bdi>{row.host}</bdi>
                    </Link>
                  </td>
                  <td className="bar-cell" aria-hidden="true">
                    <svg viewBox="0 0 100 9" preserveAspectRatio="none">
                      <rect
                        className={list === 'failing' ? 'failed' : 'accent'}
                        width={barWidth(row[measure[list]], most)}
                        height="9"
                      />
                    </svg>
                  </td>
                  <td className="num by-bytes">{bytes(row.bytes)}</td>
                  <td className="num by-time">{row.answers === 0 ? '' : span(row.meanMs)}</td>
                  <td className="num by-failed">{count(row.failed)}</td>
                  <td className="num by-pages">{count(row.pages)}</td>
                  <td className="num">{count(row.urls)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {hosts.uncounted > 0 ? <p className="soft small">{words.uncounted(count(hosts.uncounted))}</p> : null}
    </section>
  );
}
