import { Button, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useConnected } from '../api/connected.tsx';
import { Problem } from '../parts/notices.tsx';
import { When } from '../parts/when.tsx';
import { adminText } from '../text/admin-text.ts';
import { useFormats, useText, useTextOf } from '../text/use-text.tsx';
import { useDebounced } from '../job/use-lasting.ts';
import { auditQuery, detailWords } from './audit-log.ts';
import { More } from './more.tsx';
import { usePages } from './use-pages.ts';

/** Rows that are added at a time. */
const STEP = 100;
const sum = (of: readonly number[] = []): number => of.reduce((all, one) => all + one, 0);
const filters = ['who', 'action', 'what', 'from', 'to'] as const;

/** Who changed what, and when. The filters stand in the address. */
export function Audit() {
  const { audit: words } = useTextOf(adminText);
  const { loading } = useText();
  const { count } = useFormats();
  const { client } = useConnected();
  const search = useSearch({ from: '/admin' });
  const navigate = useNavigate({ from: '/admin' });
  // Not for each letter.
  const wanted = useDebounced(search);
  const query = auditQuery(wanted);
  const { items, pages, error, more, isFetching, again } = usePages(
    ['audit', JSON.stringify(query)],
    (after) => client.listAudit({ query: { ...query, order: 'newest', after, limit: STEP } }),
    false,
  );
  const looked = sum(pages?.map((page) => page.looked));
  const dropped = sum(pages?.map((page) => page.dropped));
  const isShort = (items?.length ?? 0) < STEP;
  const [readMore, isReading] = [more?.read, more?.isReading];
  // A page ends after so many changes, whether they fit or not.
  useEffect(() => {
    if (isShort && isReading === false && error === null) readMore?.();
  });
  const isFiltered = filters.some((name) => search[name] !== undefined);
  const set = (name: (typeof filters)[number], value: string) =>
    void navigate({ search: { ...search, [name]: value === '' ? undefined : value }, replace: true });
  return (
    <section className="panel part" aria-label={words.lead}>
      <p className="soft">{words.lead}</p>
      <div className="audit-filters">
        {filters.map((name) => (
          <TextInput
            key={name}
            type={name === 'from' || name === 'to' ? 'date' : 'text'}
            label={words[name]}
            value={search[name] ?? ''}
            maxLength={300}
            onChange={(event) => set(name, event.currentTarget.value)}
          />
        ))}
        <Button variant="default" loading={isFetching} onClick={again}>
          {words.reload}
        </Button>
        {isFiltered ? (
          <Button variant="default" onClick={() => void navigate({ search: { show: 'audit' } })}>
            {words.clear}
          </Button>
        ) : null}
      </div>
      {error ? <Problem error={error} /> : null}
      <p className="soft" role="status">
        {items
          ? `${words.found(count(items.length), count(looked), more !== undefined)}. ${dropped > 0 ? words.dropped(count(dropped)) : ''}`
          : loading}
      </p>
      {items?.length === 0 && !more ? <p>{isFiltered ? words.noMatch : words.none}</p> : null}
      {items && items.length > 0 ? (
        <div className="scroll" tabIndex={0} role="group" aria-label={words.lead}>
          <table className="audit stacked">
            <thead>
              <tr>
                <th>{words.when}</th>
                <th>{words.who}</th>
                <th>{words.team}</th>
                <th>{words.action}</th>
                <th>{words.what}</th>
                <th>{words.detail}</th>
              </tr>
            </thead>
            <tbody>
              {items.map((change, n) => (
                <tr key={`${change.atMs} ${n}`}>
                  <td data-label={words.when}>
                    <When atMs={change.atMs} />
                  </td>
                  <td className="name" title={change.who} data-label={words.who}>
                    <bdi>{change.who}</bdi>
                  </td>
                  <td data-label={words.team}>
                    <bdi>{change.team}</bdi>
                  </td>
                  <td data-label={words.action}>{change.action}</td>
                  <td className="why" data-label={words.what}>
                    <bdi>{change.what}</bdi>
                  </td>
                  <td className="why soft" data-label={words.detail}>
                    <bdi>{detailWords(change)}</bdi>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
      <More more={more} />
    </section>
  );
}
