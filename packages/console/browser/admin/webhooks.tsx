import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type WebhookEventType, webhookEvents } from '@webfarer/protocol/api';
import { type FormEvent, useState } from 'react';
import { useConnected } from '../api/connected.tsx';
import { Problem } from '../parts/notices.tsx';
import { adminText } from '../text/admin-text.ts';
import { useTextOf } from '../text/use-text.tsx';
import { More } from './more.tsx';
import { usePages } from './use-pages.ts';
import { Secret } from './secret.tsx';
import { WebhookCard } from './webhook-card.tsx';

const eventTypes = Object.keys(webhookEvents) as WebhookEventType[];

/** Programs elsewhere that hear of crawls. */
export function Webhooks() {
  const { webhooks: words } = useTextOf(adminText);
  const { client } = useConnected();
  const { items, error, more } = usePages(
    ['webhooks'],
    (after) => client.listWebhooks({ query: { after, limit: 50 } }),
    5_000,
  );
  return (
    <>
      <section className="panel part" aria-label={words.create}>
        <p className="soft">{words.lead}</p>
        <NewWebhook />
        {error ? <Problem error={error} /> : null}
        {items?.length === 0 ? (
          <p className="soft">
            {words.none} {words.noneLead}
          </p>
        ) : null}
      </section>
      {items?.map((webhook) => (
        <WebhookCard key={webhook.id} webhook={webhook} />
      ))}
      <More more={more} />
    </>
  );
}

function NewWebhook() {
  const { webhooks: words } = useTextOf(adminText);
  const { client } = useConnected();
  const queries = useQueryClient();
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly WebhookEventType[]>(['crawl.finished', 'crawl.trouble']);
  const wanted = url.trim();
  const isUrl = /^https?:\/\/[^\s@]+$/.test(wanted);
  const create = useMutation({
    mutationFn: () => client.createWebhook({ body: { url: wanted, events: [...events] } }),
    onSuccess() {
      setUrl('');
      void queries.invalidateQueries({ queryKey: ['webhooks'] });
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    create.mutate();
  }
  return (
    <form className="new-webhook" onSubmit={submit}>
      <TextInput
        label={words.url}
        placeholder={words.urlHint}
        value={url}
        maxLength={2_048}
        spellCheck={false}
        error={wanted === '' || isUrl ? undefined : words.badUrl}
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
      <fieldset>
        <legend>{words.events}</legend>
        {eventTypes.map((type) => (
          <label key={type}>
            <input
              type="checkbox"
              checked={events.includes(type)}
              onChange={(event) => {
                const isOn = event.currentTarget.checked;
                setEvents((now) => (isOn ? [...now, type] : now.filter((each) => each !== type)));
              }}
            />
            {words.event[type]}
          </label>
        ))}
      </fieldset>
      <Button type="submit" loading={create.isPending} disabled={!isUrl || events.length === 0}>
        {words.create}
      </Button>
      {create.error ? <Problem error={create.error} /> : null}
      {create.data ? (
        <Secret secret={create.data.secret} lead={words.secretOnce} taken={() => create.reset()} />
      ) : null}
    </form>
  );
}
