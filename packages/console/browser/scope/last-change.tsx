import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { CrawlDetail } from '@webfarer/protocol/api';
import { useEffect } from 'react';
import { useConnected } from '../api/connected.tsx';
import type { LifeState } from '../parts/state-badge.tsx';
import { When } from '../parts/when.tsx';
import { scopeText } from '../text/scope-text.ts';
import { useFormats, useTextOf } from '../text/use-text.tsx';
import type { ScopeDraft } from './draft-in-address.ts';
import { draftBefore } from './scope-draft.ts';

interface LastChangeProps {
  crawl: string;
  detail: CrawlDetail;
  state: LifeState;
  /** Undefined: this person may only look. */
  fillIn: ((before: ScopeDraft) => void) | undefined;
}

/** What the last change of the scope did, and the way back: the scope before it, filled in and previewed like any other. */
export function LastChange({ crawl, detail, state, fillIn }: LastChangeProps) {
  const { last: words, notSet } = useTextOf(scopeText);
  const { count } = useFormats();
  const { client } = useConnected();
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: ['edits', crawl, detail.version],
    queryFn: () => client.listEdits({ params: { crawl } }),
    placeholderData: (before) => before,
    // Until the change is carried out.
    refetchInterval: ({ state: { data: known } }) =>
      known?.items.some(({ sweep }) => sweep?.state === 'pending') ? 1_000 : false,
  });
  const edit = data?.items.findLast(({ sweep }) => sweep !== undefined);
  const carriedOut = edit?.sweep?.state === 'done' ? edit.seq : undefined;
  // The crawl has another version since: the next preview and edit name it.
  useEffect(() => {
    if (carriedOut !== undefined) void queries.invalidateQueries({ queryKey: ['crawl'] });
  }, [queries, carriedOut]);
  if (!data) return null;
  if (!edit?.sweep)
    return (
      <section className="panel part scope-last" aria-labelledby="scope-last">
        <h2 id="scope-last">{words.title}</h2>
        <p className="soft">{words.none}</p>
      </section>
    );
  const { atMs, by, changes, sweep } = edit;
  const before = draftBefore(detail.job, changes);
  const isOpen = state === 'running' || state === 'paused';
  const shown = (value: unknown) => (value === undefined ? notSet : JSON.stringify(value));
  return (
    <section className="panel part scope-last" aria-labelledby="scope-last">
      <h2 id="scope-last">{words.title}</h2>
      <ul className="scope-changes">
        {changes.map(({ field, from, to }) => (
          <li key={field}>
            <code>{field}</code> <bdi>{shown(from)}</bdi> → <bdi className="strong">{shown(to)}</bdi>
          </li>
        ))}
      </ul>
      <p className="soft">
        <When atMs={atMs} /> <bdi>{words.by(by)}</bdi>
      </p>
      <p role="status" className="scope-second">
        {sweep.state === 'pending'
          ? isOpen
            ? words.pending
            : words.pendingAtRest
          : `${sweep.dropped === 0 ? words.droppedNone : words.dropped(count(sweep.dropped))} ${
              sweep.restored === 0 ? '' : words.restored(count(sweep.restored))
            }`}
      </p>
      <div className="scope-foot">
        <Link to="/crawls/$crawl/urls" params={{ crawl }} search={{ state: 'refused', reason: 'scope' }}>
          {words.show}
        </Link>
        {fillIn && before ? (
          <Button size="compact-sm" variant="default" title={words.backLead} onClick={() => fillIn(before)}>
            {words.back}
          </Button>
        ) : null}
      </div>
      {before ? null : <p className="soft">{words.backLost}</p>}
    </section>
  );
}
