import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ApiWebhook } from '@webfarer/protocol/api';
import { useState } from 'react';
import { useConnected } from '../api/connected.tsx';
import { Confirm } from '../network/confirm.tsx';
import { Problem } from '../parts/notices.tsx';
import { adminText } from '../text/admin-text.ts';
import { useFormats, useTextOf } from '../text/use-text.tsx';
import { Deliveries } from './deliveries.tsx';
import { Secret } from './secret.tsx';

type Question = 'rotate' | 'remove';

/** One webhook: where it sends, what it hears of, how its messages fare, and what can be done about it. */
export function WebhookCard({ webhook }: { webhook: ApiWebhook }) {
  const { webhooks: words, on, remove: removeWord, noUndo } = useTextOf(adminText);
  const { count } = useFormats();
  const { client } = useConnected();
  const queries = useQueryClient();
  const [question, setQuestion] = useState<Question>();
  const [isOpen, setOpen] = useState(false);
  const { id, url, events, enabled, version, pending, dead } = webhook;
  const params = { webhook: id };
  const onSettled = () => {
    void queries.invalidateQueries({ queryKey: ['webhooks'] });
    void queries.invalidateQueries({ queryKey: ['deliveries', id] });
  };
  const turn = useMutation({
    mutationFn: () => client.editWebhook({ params, body: { enabled: !enabled, version } }),
    onSettled,
  });
  const test = useMutation({
    mutationFn: () => client.testWebhook({ params }),
    onSuccess: () => setOpen(true),
    onSettled,
  });
  const rotate = useMutation({ mutationFn: () => client.rotateWebhookSecret({ params }), onSettled });
  const remove = useMutation({
    mutationFn: () => client.deleteWebhook({ params }),
    // Its messages are gone with it: nothing is asked about them any more.
    onMutate: () => setOpen(false),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['webhooks'] }),
  });
  const wrong = [turn, test, rotate, remove].find(({ error }) => error)?.error;
  const asked = question === 'rotate' ? words.rotate : removeWord;
  return (
    <section className="panel part webhook" aria-label={url}>
      <div className="webhook-head">
        <h2 title={url}>
          <bdi>{url}</bdi>
        </h2>
        <span className={enabled ? 'state finished' : 'state stopped'}>
          {enabled ? words.states.on : words.states.off}
        </span>
      </div>
      <p className="soft">{events.map((type) => words.event[type]).join(' · ')}</p>
      <dl className="webhook-counts">
        <div>
          <dt>{words.waiting}</dt>
          <dd>{count(pending)}</dd>
        </div>
        <div>
          <dt>{words.dead}</dt>
          <dd>{count(dead)}</dd>
        </div>
      </dl>
      <div className="row-actions">
        <Action words={words.test} url={url} isBusy={test.isPending} act={() => test.mutate()} />
        <Action
          words={isOpen ? words.hide : words.show}
          url={url}
          isBusy={false}
          act={() => setOpen((now) => !now)}
        />
        <Action
          words={enabled ? words.disable : words.enable}
          url={url}
          isBusy={turn.isPending}
          act={() => turn.mutate()}
        />
        <Action words={words.rotate} url={url} isBusy={rotate.isPending} act={() => setQuestion('rotate')} />
        <Action words={removeWord} url={url} isBusy={remove.isPending} act={() => setQuestion('remove')} />
      </div>
      {wrong ? <Problem error={wrong} /> : null}
      {rotate.data ? (
        <Secret secret={rotate.data.secret} lead={words.secretOnce} taken={() => rotate.reset()} />
      ) : null}
      {isOpen ? <Deliveries webhook={id} /> : null}
      {question ? (
        <Confirm
          title={on(asked, url)}
          doing={asked}
          cancel={() => setQuestion(undefined)}
          confirm={() => {
            setQuestion(undefined);
            if (question === 'rotate') rotate.mutate();
            else remove.mutate();
          }}
        >
          <p>
            {question === 'rotate' ? words.rotateMeans : words.removeMeans} {noUndo}
          </p>
        </Confirm>
      ) : null}
    </section>
  );
}

function Action(props: { words: string; url: string; isBusy: boolean; act: () => void }) {
  const { on } = useTextOf(adminText);
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={on(props.words, props.url)}
      disabled={props.isBusy}
      onClick={props.act}
    >
      {props.words}
    </Button>
  );
}
