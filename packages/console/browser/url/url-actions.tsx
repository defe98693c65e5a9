import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { UrlDocument } from '@webfarer/protocol/api';
import { useState } from 'react';
import { useConnected, useMayOperate } from '../api/connected.tsx';
import { Problem } from '../parts/notices.tsx';
import { useText } from '../text/use-text.tsx';
import { explainCommand } from './explain-command.ts';

interface UrlActionsProps {
  crawl: string;
  document: UrlDocument;
  changed: () => void;
}

/** What a person does next with one URL. The console itself never leads to the site. */
export function UrlActions({ crawl, document, changed }: UrlActionsProps) {
  const { one: words } = useText().urls;
  const { client } = useConnected();
  const queries = useQueryClient();
  const mayOperate = useMayOperate();
  const [said, setSaid] = useState('');
  const { url, state } = document;
  const command = explainCommand({ url, crawl, at: location.origin });
  const isSettled = state === 'done' || state === 'failed' || state === 'refused';
  const act = useMutation({
    mutationFn: async () => {
      const order = { params: { crawl }, body: { url } };
      if (isSettled) {
        const before = await client.getCrawl({ params: { crawl } });
        if ((await client.retryUrls(order)).queued === 0) return words.notRetried;
        if (before.state === 'finished' || before.state === 'limited')
          await client.resumeCrawl({ params: { crawl } });
        return words.retried;
      }
      return (await client.dropUrls(order)).dropped > 0 ? words.dropped : words.notRetried;
    },
    onSuccess(what) {
      setSaid(what);
      void queries.invalidateQueries({ queryKey: ['crawl'] });
      changed();
    },
  });

  function copy(text: string): void {
    navigator.clipboard.writeText(text).then(
      () => setSaid(words.copied),
      () => setSaid(words.cannotCopy),
    );
  }

  return (
    <div className="url-actions">
      {mayOperate && (isSettled || state === 'queued') ? (
        <Button
          {...(state === 'failed' ? {} : { variant: 'default' })}
          loading={act.isPending}
          onClick={() => act.mutate()}
        >
          {isSettled ? words.retry : words.drop}
        </Button>
      ) : null}
      <Button variant="default" onClick={() => copy(url)}>
        {words.copyUrl}
      </Button>
      <Button variant="default" title={command} onClick={() => copy(command)}>
        {words.copyCommand}
      </Button>
      <span className="soft" role="status">
        {said}
      </span>
      {act.error ? <Problem error={act.error} /> : null}
    </div>
  );
}
