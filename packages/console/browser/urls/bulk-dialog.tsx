import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Client } from '../api/client.ts';
import { useConnected } from '../api/connected.tsx';
import { Problem } from '../parts/notices.tsx';
import { useReasonWords } from '../parts/reason-words.ts';
import type { LifeState } from '../parts/state-badge.tsx';
import { useFormats, useText } from '../text/use-text.tsx';
import { type StepsDone, takeSteps } from './all-steps.ts';
import { textFields, type UrlsSearch } from '../api/url-search.ts';
import { pageFetcher } from './use-url-list.ts';

interface BulkDialogProps {
  crawl: string;
  what: 'retry' | 'drop';
  search: UrlsSearch;
  /** As the crawl has counted them; undefined: they are counted here. */
  counted: number | undefined;
  state: LifeState | undefined;
  close: () => void;
}

/** Says which URLs and how many, then how far it has come, then what came of it. */
export function BulkDialog({ crawl, what, search, counted, state, close }: BulkDialogProps) {
  const { urls: words } = useText();
  const { count } = useFormats();
  const { client } = useConnected();
  const queries = useQueryClient();
  const stop = useRef(new AbortController());
  const [atStart] = useState(counted);
  const [so, setSo] = useState<StepsDone>();
  const many = useCounted({ crawl, search, isWanted: atStart === undefined });
  const act = useMutation({
    async mutationFn() {
      const done = await takeSteps(stepOf(client, { crawl, what, search }), stop.current.signal, setSo);
      // It had ended by itself, not by an order: that URLs are queued again is why it runs again.
      const isOver = state === 'finished' || state === 'limited';
      const isResumed = what === 'retry' && isOver && done.moved > 0;
      if (isResumed) await client.resumeCrawl({ params: { crawl } });
      return { ...done, isResumed };
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['crawl'] }),
  });
  const resume = useMutation({
    mutationFn: () => client.resumeCrawl({ params: { crawl } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['crawl'] }),
  });
  const manyWords =
    atStart !== undefined
      ? words.bulk.count(count(atStart))
      : many.isWhole
        ? words.bulk.count(count(many.moved))
        : words.bulk.counting(count(many.moved), count(many.searched));

  if (act.data) {
    const { moved, isWhole, isResumed } = act.data;
    const isAtRest =
      what === 'retry' && moved > 0 && !isResumed && (state === 'stopped' || state === 'failed');
    return (
      <>
        <p role="status">{isWhole ? words[what].done(count(moved)) : words[what].cut(count(moved))}</p>
        {isAtRest ? <p className="soft">{words.bulk.atRest}</p> : null}
        {isResumed || resume.isSuccess ? <p role="status">{words.bulk.resumed}</p> : null}
        {resume.error ? <Problem error={resume.error} /> : null}
        <div className="modal-foot">
          <Button variant="default" onClick={close}>
            {words.bulk.close}
          </Button>
          {isAtRest && !resume.isSuccess ? (
            <Button loading={resume.isPending} onClick={() => resume.mutate()}>
              {words.bulk.resume}
            </Button>
          ) : null}
        </div>
      </>
    );
  }
  return (
    <>
      <dl className="facts">
        <div>
          <dt>{words.bulk.many}</dt>
          <dd>
            <b>{manyWords}</b>
          </dd>
        </div>
        <div>
          <dt>{words.bulk.where}</dt>
          <dd>
            <Conditions search={search} />
          </dd>
        </div>
      </dl>
      <p className="bulk-lead">{words[what].lead}</p>
      {act.error ? <Problem error={act.error} /> : null}
      {act.isPending ? (
        <p className="soft" role="status">
          {words.bulk.working(count(so?.moved ?? 0), count(so?.searched ?? 0))}
        </p>
      ) : null}
      <div className="modal-foot">
        {act.isPending ? (
          <Button variant="default" onClick={() => stop.current.abort()}>
            {words.bulk.stop}
          </Button>
        ) : (
          <Button variant="default" onClick={close}>
            {words.bulk.cancel}
          </Button>
        )}
        <Button
          data-autofocus
          loading={act.isPending}
          {...(what === 'drop' ? { color: 'red' } : {})}
          onClick={() => act.mutate()}
        >
          {words[what].confirm}
        </Button>
      </div>
    </>
  );
}

/** The filter in words. */
function Conditions({ search }: { search: UrlsSearch }) {
  const { urls: words } = useText();
  const because = useReasonWords();
  const { state, reason } = search;
  return (
    <ul className="conditions">
      {state === undefined ? null : <li>{words.states[state]}</li>}
      {reason === undefined ? null : <li>{because(reason)}</li>}
      {textFields
        .filter((field) => search[field] !== undefined)
        .map((field) => (
          <li key={field}>
            {words.filters[field]} <bdi>{search[field]}</bdi>
          </li>
        ))}
    </ul>
  );
}

/** How many URLs a filter matches that the crawl keeps no count of: they are looked through while the dialog is open. */
function useCounted(about: { crawl: string; search: UrlsSearch; isWanted: boolean }): StepsDone {
  const { client } = useConnected();
  const [done, setDone] = useState<StepsDone>({ moved: 0, searched: 0, isWhole: false });
  const key = JSON.stringify(about);
  useEffect(() => {
    const { crawl, search, isWanted } = JSON.parse(key) as typeof about;
    if (!isWanted) return;
    const abort = new AbortController();
    const fetchPage = pageFetcher(client, crawl, search, 1_000);
    const step = async (after: string, signal: AbortSignal) => {
      const { items, searched, next } = await fetchPage(after, signal);
      return { moved: items.length, searched, next };
    };
    // What could not be counted stays "at least".
    takeSteps(step, abort.signal, setDone).catch(() => undefined);
    return () => abort.abort();
  }, [client, key]);
  return done;
}

function stepOf(
  client: Client,
  { crawl, what, search }: { crawl: string; what: 'retry' | 'drop'; search: UrlsSearch },
) {
  const { state, reason, status, ...place } = search;
  const params = { crawl };
  if (what === 'drop')
    return async (after: string) => {
      const { dropped, ...rest } = await client.dropUrls({ params, body: { ...place, after } });
      return { moved: dropped, ...rest };
    };
  const verdict = state === 'failed' || state === 'refused' ? { verdict: state } : {};
  const which = { ...verdict, ...(reason ? { reason } : {}), ...(status ? { status } : {}), ...place };
  return async (after: string) => {
    const { queued, ...rest } = await client.retryUrls({ params, body: { ...which, after } });
    return { moved: queued, ...rest };
  };
}
