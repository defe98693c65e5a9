import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ApiSession } from '@webfarer/protocol/api';
import { useState } from 'react';
import { useConnected } from '../api/connected.tsx';
import { Confirm } from '../network/confirm.tsx';
import { EmptyState, Problem } from '../parts/notices.tsx';
import { When } from '../parts/when.tsx';
import { adminText } from '../text/admin-text.ts';
import { useTextOf } from '../text/use-text.tsx';
import { More } from './more.tsx';
import { usePages } from './use-pages.ts';

/** Users who are logged in with the OpenID provider. */
export function People() {
  const { people: words } = useTextOf(adminText);
  const { client } = useConnected();
  const { items, error, more } = usePages(['sessions'], (after) =>
    client.listSessions({ query: { after, limit: 100 } }),
  );
  if (items?.length === 0)
    return (
      <EmptyState title={words.none}>
        <p>{words.noneLead}</p>
      </EmptyState>
    );
  return (
    <section className="panel part" aria-label={words.lead}>
      <p className="soft">{words.lead}</p>
      {error ? <Problem error={error} /> : null}
      {items ? (
        <div className="scroll" tabIndex={0} role="group" aria-label={words.lead}>
          <table>
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
              {items.map((session) => (
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
  const { client } = useConnected();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const end = useMutation({
    mutationFn: () => client.revokeSession({ params: { session: session.id } }),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['sessions'] }),
  });
  const name = session.name || session.email || session.user;
  return (
    <tr>
      <td className="name" title={session.email}>
        <bdi>{name}</bdi>
      </td>
      <td className="name" title={session.user}>
        <bdi>{session.user}</bdi>
      </td>
      <td>{session.scope}</td>
      <td>
        <bdi>{session.team}</bdi>
      </td>
      <td>
        <When atMs={session.createdAtMs} />
      </td>
      <td>
        <When atMs={session.expiresAtMs} />
      </td>
      <td>
        <Button
          size="compact-xs"
          variant="default"
          aria-label={on(words.end, name)}
          disabled={end.isPending}
          onClick={() => setAsking(true)}
        >
          {words.end}
        </Button>
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
            <p>{words.endMeans}</p>
          </Confirm>
        ) : null}
      </td>
    </tr>
  );
}
