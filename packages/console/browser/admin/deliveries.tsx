import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ApiDelivery } from '@webfarer/protocol/api';
import { useConnected } from '../api/connected.tsx';
import { Problem } from '../parts/notices.tsx';
import { When } from '../parts/when.tsx';
import { adminText } from '../text/admin-text.ts';
import { useTextOf } from '../text/use-text.tsx';

/** The latest messages of a webhook, and what became of each. */
export function Deliveries({ webhook }: { webhook: string }) {
  const { webhooks: words } = useTextOf(adminText);
  const { client } = useConnected();
  const { data, error } = useQuery({
    queryKey: ['deliveries', webhook],
    refetchInterval: 2_000,
    queryFn: () => client.listDeliveries({ params: { webhook }, query: { limit: 50 } }),
  });
  if (error) return <Problem error={error} />;
  if (!data) return null;
  if (data.items.length === 0) return <p className="soft">{words.noMessages}</p>;
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label={words.messages}>
      <table>
        <caption className="soft">{words.messages}</caption>
        <thead>
          <tr>
            <th>{words.type}</th>
            <th>{words.state}</th>
            <th>{words.created}</th>
            <th className="num">{words.attempts}</th>
            <th>{words.last}</th>
            <th />
          </tr>
        </thead>
        <tbody>
          {data.items.map((delivery) => (
            <Row key={delivery.message} webhook={webhook} delivery={delivery} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ webhook, delivery }: { webhook: string; delivery: ApiDelivery }) {
  const { webhooks: words, on } = useTextOf(adminText);
  const { client } = useConnected();
  const queries = useQueryClient();
  const { message, type, state, attempts, createdAtMs, last } = delivery;
  const retry = useMutation({
    mutationFn: () => client.retryDelivery({ params: { webhook, message } }),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['deliveries', webhook] }),
  });
  return (
    <tr>
      <td title={message}>
        <code>{type}</code>
      </td>
      <td>{words.delivery[state]}</td>
      <td>
        <When atMs={createdAtMs} />
      </td>
      <td className="num">{attempts}</td>
      <td className="why">
        {last ? (
          <>
            <When atMs={last.atMs} />{' '}
            <bdi>{last.status === undefined ? last.error : words.answered(String(last.status))}</bdi>
          </>
        ) : null}
      </td>
      <td>
        {state === 'dead' ? (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={on(words.retry, message)}
            disabled={retry.isPending}
            onClick={() => retry.mutate()}
          >
            {words.retry}
          </Button>
        ) : null}
        {retry.error ? <Problem error={retry.error} /> : null}
      </td>
    </tr>
  );
}
