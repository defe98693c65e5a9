import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { PageRecord } from '@webfarer/protocol';
import { type FormEvent, useState } from 'react';
import { useConnected } from '../api/connected.tsx';
import { CrawlNav } from '../parts/crawl-head.tsx';
import { Name } from '../parts/name.tsx';
import { Problem } from '../parts/notices.tsx';
import { useText } from '../text/use-text.tsx';
import { Answer } from './answer.tsx';
import { Explained } from './explained.tsx';
import { LinksIn, LinksOut } from './links.tsx';
import { Preview } from './preview.tsx';
import { Timeline } from './timeline.tsx';
import { UrlActions } from './url-actions.tsx';
import '../style/urls.css';
import '../style/url.css';

/** One URL and its story: why it is where it is, how it went, what came back, and what to do next. */
export function UrlScreen() {
  const { urls: words, loading } = useText();
  const { client } = useConnected();
  const { crawl } = useParams({ from: '/crawls/$crawl/url' });
  const { url } = useSearch({ from: '/crawls/$crawl/url' });
  const facts = useQuery({
    queryKey: ['url', crawl, url],
    enabled: url !== '',
    retry: false,
    queryFn: async () => {
      const [document, explanation] = await Promise.all([
        client.getUrl({ params: { crawl }, query: { url } }),
        client.explainUrl({ params: { crawl }, query: { url } }),
      ]);
      return { document, explanation };
    },
  });
  const { document, explanation } = facts.data ?? {};
  // The record is the one of the results, as the protocol types it.
  const record = document?.record as PageRecord | undefined;
  const state = document?.state === 'unknown' ? explanation?.state : document?.state;
  const hasAnswer = record?.status !== undefined || record?.saved !== undefined;
  return (
    <>
      <nav className="crumbs" aria-label={words.title}>
        <Link to="/crawls/$crawl" params={{ crawl }}>
          <Name of={crawl} />
        </Link>
      </nav>
      <CrawlNav crawl={crawl} />
      <div className="url-head">
        <h1 className="one-url">
          <bdi dir="ltr">{document?.url ?? url}</bdi>
        </h1>
        {state === undefined ? null : (
          <span className={`state url-${state}`}>{words.states[state] ?? state}</span>
        )}
      </div>
      {facts.error ? <Problem error={facts.error} /> : null}
      {url === '' || facts.error ? <LookUp crawl={crawl} /> : null}
      {facts.isLoading ? <p className="soft">{loading}</p> : null}
      {document && explanation ? (
        <>
          <UrlActions crawl={crawl} document={document} changed={() => void facts.refetch()} />
          <div key={document.url} className="two">
            <div className="column">
              <Explained document={document} explanation={explanation} />
              {hasAnswer && record ? <Answer record={record} /> : null}
              {record?.verdict === 'done' ? <LinksOut crawl={crawl} document={document} /> : null}
            </div>
            <div className="column">
              <Timeline crawl={crawl} document={document} record={record} />
              {hasAnswer && record ? <Preview crawl={crawl} record={record} /> : null}
              <LinksIn crawl={crawl} url={document.url} />
            </div>
          </div>
          {document.items.total > 0 ? (
            <section className="panel part items" aria-labelledby="items">
              <h2 id="items">{words.one.items}</h2>
              {document.items.first.map((item, at) => (
                <pre key={at} className="code" tabIndex={0}>
                  {JSON.stringify(item, undefined, 2)}
                </pre>
              ))}
            </section>
          ) : null}
        </>
      ) : null}
    </>
  );
}

function LookUp({ crawl }: { crawl: string }) {
  const { one: words } = useText().urls;
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (typed.trim() === '') return;
    void navigate({ to: '/crawls/$crawl/url', params: { crawl }, search: { url: typed.trim() } });
  }
  return (
    <form className="save-filter look-up" onSubmit={submit}>
      <TextInput
        label={words.lookUp}
        placeholder={words.lookUpHint}
        value={typed}
        data-find
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Button type="submit">{words.show}</Button>
    </form>
  );
}
