import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useConnected } from '../api/connected.tsx';
import { Problem } from '../parts/notices.tsx';
import { When } from '../parts/when.tsx';
import { adminText } from '../text/admin-text.ts';
import { useFormats, useTextOf } from '../text/use-text.tsx';
import { chosenChanges, detailWords, readChanges } from './audit-log.ts';
import { More } from './more.tsx';

/** Rows that are added at a time. */
const STEP = 200;
const filters = ['who', 'action', 'what', 'from', 'to'] as const;

/** Who changed what, and when. The filters stand in the address. */
export function Audit() {
  const { audit: words } = useTextOf(adminText);
  const { count } = useFormats();
  const { client } = useConnected();
  const search = useSearch({ from: '/admin' });
  const navigate = useNavigate({ from: '/admin' });
  const [read, setRead] = useState(0);
  const [rows, setRows] = useState(STEP);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['audit'],
    staleTime: 0,
    refetchOnWindowFocus: false,
    queryFn: () => readChanges((after) => client.listAudit({ query: { after, limit: 1_000 } }), setRead),
  });
  const chosen = useMemo(() => (data ? chosenChanges(data.changes, search) : []), [data, search]);
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
        <Button variant="default" loading={isFetching} onClick={() => void refetch()}>
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
        {data
          ? `${words.found(count(chosen.length), count(data.changes.length))}. ${data.dropped > 0 ? words.dropped(count(data.dropped)) : ''}`
          : words.reading(count(read))}
      </p>
      {data && chosen.length === 0 ? <p>{isFiltered ? words.noMatch : words.none}</p> : null}
      {chosen.length > 0 ? (
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
              {chosen.slice(0, rows).map((change, n) => (
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
      <More
        more={chosen.length > rows ? { isReading: false, read: () => setRows(rows + STEP) } : undefined}
      />
    </section>
  );
}
