import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { LinkFrom, UrlDocument } from '@webfarer/protocol/api';
import { useEffect, useRef, useState } from 'react';
import { useConnected } from '../api/connected.tsx';
import { CutUrl } from '../parts/cut-url.tsx';
import { Problem } from '../parts/notices.tsx';
import { useFormats, useText } from '../text/use-text.tsx';
import { type StepsDone, takeSteps } from '../urls/all-steps.ts';

/** Rows that are written out; a page can have thousands of links. */
const mostRows = 200;

interface Row {
  url: string;
  rel: string;
  nofollow?: boolean | undefined;
  text?: string | undefined;
}

export function LinksOut({ crawl, document }: { crawl: string; document: UrlDocument }) {
  const { one: words } = useText().urls;
  const { count } = useFormats();
  const { total, first } = document.links;
  const rows = first.slice(0, mostRows).map(({ to, ...link }) => ({ url: to, ...link }));
  return (
    <section className="panel part" aria-labelledby="links-out">
      <h2 id="links-out">
        {words.linksOut} <span className="soft">{count(total)}</span>
      </h2>
      {total === 0 ? <p className="soft">{words.linksNone}</p> : <Rows crawl={crawl} rows={rows} />}
      {total > rows.length ? (
        <p className="soft small">{words.linksFirst(count(rows.length), count(total))}</p>
      ) : null}
    </section>
  );
}

/** Found by a search through the links of all pages, which a person asks for. */
export function LinksIn({ crawl, url }: { crawl: string; url: string }) {
  const { one: words } = useText().urls;
  const { count } = useFormats();
  const { client } = useConnected();
  const stop = useRef<AbortController>(undefined);
  const [rows, setRows] = useState<Row[]>([]);
  const [so, setSo] = useState<StepsDone>();
  const [isSearching, setSearching] = useState(false);
  const [error, setError] = useState<unknown>();
  useEffect(() => () => stop.current?.abort(), []);

  async function search(): Promise<void> {
    const abort = new AbortController();
    stop.current = abort;
    setSearching(true);
    setRows([]);
    setError(undefined);
    const found: Row[] = [];
    const step = async (after: string, signal: AbortSignal) => {
      const { items, ...rest } = await client.findLinksTo({
        params: { crawl },
        query: { url, after },
        signal,
      });
      for (const one of items.slice(0, mostRows - found.length)) found.push(rowOf(one));
      setRows([...found]);
      return { moved: items.length, ...rest };
    };
    await takeSteps(step, abort.signal, setSo).catch((caught: unknown) => {
      if (!abort.signal.aborted) setError(caught);
    });
    if (stop.current === abort) setSearching(false);
  }

  return (
    <section className="panel part" aria-labelledby="links-in">
      <h2 id="links-in">
        {words.linksIn} {so ? <span className="soft">{count(so.moved)}</span> : null}
      </h2>
      {so === undefined ? <p className="soft small">{words.linksLead}</p> : null}
      {error === undefined ? null : <Problem error={error} />}
      {rows.length > 0 ? <Rows crawl={crawl} rows={rows} /> : null}
      {so?.isWhole && so.moved === 0 ? <p>{words.linksInNone}</p> : null}
      {so && so.moved > rows.length ? (
        <p className="soft small">{words.linksFirst(count(rows.length), count(so.moved))}</p>
      ) : null}
      {so ? (
        <p className="soft small" role="status">
          {words.linksLooked(count(so.searched))}
        </p>
      ) : null}
      {so?.isWhole ? null : (
        <Button
          className="find-links"
          variant="default"
          size="sm"
          loading={isSearching}
          onClick={() => void search()}
        >
          {words.linksFind}
        </Button>
      )}
    </section>
  );
}

const rowOf = ({ from, ...link }: LinkFrom): Row => ({ url: from, ...link });

function Rows({ crawl, rows }: { crawl: string; rows: readonly Row[] }) {
  const { one: words } = useText().urls;
  return (
    <ul className="link-rows" tabIndex={rows.length > 8 ? 0 : -1}>
      {rows.map(({ url, rel, nofollow, text }, at) => (
        <li key={at}>
          <Link to="/crawls/$crawl/url" params={{ crawl }} search={{ url }} preload={false}>
            <CutUrl url={url} />
          </Link>
          <span className="soft">
            <bdi>{[rel, nofollow ? words.nofollow : '', text ?? ''].filter(Boolean).join(' · ')}</bdi>
          </span>
        </li>
      ))}
    </ul>
  );
}
