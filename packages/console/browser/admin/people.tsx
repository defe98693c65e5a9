import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ApiSession } from '@webfarer/protocol/api';
import { useState } from 'react';
import { useConnected } from '../api/connected.tsx';
import { Confirm } from '../network/confirm.tsx';
import { Name } from '../parts/name.tsx';
import { EmptyState, Problem } from '../parts/notices.tsx';
import { When } from '../parts/when.tsx';
import { adminText } from '../text/admin-text.ts';
import { useTextOf } from '../text/use-text.tsx';
import { More } from './more.tsx';
import { byPerson, peopleIn, personOf } from './session-list.ts';
import { usePages } from './use-pages.ts';

/** Users who are logged in with the OpenID provider. */
export function People() {
  const { people: words } = useTextOf(adminText);
  const { client } = useConnected();
  const { data: about } = useQuery({ queryKey: ['version'], queryFn: () => client.getVersion() });
  const { items, error, more } = usePages(['sessions'], (after) =>
    client.listSessions({ query: { after, limit: 100 } }),
  );
  if (items?.length === 0 && !more)
    return (
      <EmptyState title={words.none}>
        <p>{about?.logIn ? words.noneYet : words.noneLead}</p>
      </EmptyState>
    );
  const count = items && words.count(peopleIn(items), items.length);
  return (
    <section className="panel part" aria-label={words.lead}>
      {count === undefined ? null : <h2>{more ? words.atLeast(count) : count}</h2>}
      <p className="soft">{words.lead}</p>
      {error ? <Problem error={error} /> : null}
      {items ? (
        <div className="scroll" tabIndex={0} role="group" aria-label={words.lead}>
          <table className="people stacked">
            <thead>
              <tr>
                <th>{words.name}</th>
                <th>{words.user}</th>
                <th>{words.scope}</th>
                <th>{words.team}</th>
                <th>{words.since}</th>
                <th>{words.until}</th>
                <th />
              </tr>
            </thead>
            <tbody>
              {byPerson(items).map((session) => (
                <Row key={session.id} session={session} />
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
      <More more={more} />
    </section>
  );
}

function Row({ session }: { session: ApiSession }) {
  const { people: words, on } = useTextOf(adminText);
  const { client, who } = useConnected();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const end = useMutation({
    mutationFn: () => client.revokeSession({ params: { session: session.id } }),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['sessions'] }),
  });
  const name = personOf(session);
  const isOwn = session.id === who.session;
  return (
    <tr>
      <td className="person">
        <b title={name}>
          <Name of={name} />
          {isOwn ? ` ${words.you}` : ''}
        </b>
        {session.email === undefined || session.email === name ? null : (
          <span className="soft">
            <bdi>{session.email}</bdi>
          </span>
        )}
      </td>
      <td className="name" title={session.user} data-label={words.user}>
        <bdi>{session.user}</bdi>
      </td>
      <td data-label={words.scope}>{session.scope}</td>
      <td data-label={words.team}>
        <bdi>{session.team}</bdi>
      </td>
      <td data-label={words.since}>
        <When atMs={session.createdAtMs} />
      </td>
      <td data-label={words.until}>
        <When atMs={session.expiresAtMs} />
      </td>
      <td>
        <div className="row-actions">
          <Link to="/admin" search={{ show: 'audit', who: session.user }} aria-label={words.changesOf(name)}>
            {words.changes}
          </Link>
          <Button
            size="compact-xs"
            variant="default"
            aria-label={on(words.end, name)}
            disabled={end.isPending}
            onClick={() => setAsking(true)}
          >
            {words.end}
          </Button>
        </div>
        {end.error ? <Problem error={end.error} /> : null}
        {isAsking ? (
          <Confirm
            title={on(words.end, name)}
            doing={words.end}
            cancel={() => setAsking(false)}
            confirm={() => {
              setAsking(false);
              end.mutate();
            }}
          >
            <p>{isOwn ? words.endOwn : words.endMeans}</p>
          </Confirm>
        ) : null}
      </td>
    </tr>
  );
}
