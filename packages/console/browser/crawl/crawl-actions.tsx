import { Button, Modal } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { CrawlDetail } from '@webfarer/protocol/api';
import { useState } from 'react';
import { useConnected, useMayOperate } from '../api/connected.tsx';
import { Pause, Play, Stop } from '../parts/icons.tsx';
import { Problem } from '../parts/notices.tsx';
import type { ShownState } from '../parts/state-badge.tsx';
import { useText } from '../text/use-text.tsx';

/** Pause and resume take one click, because each takes back the other; stop asks first. */
export function CrawlActions({ crawl, state }: { crawl: CrawlDetail; state: ShownState }) {
  const { crawl: words } = useText();
  const { client } = useConnected();
  const queries = useQueryClient();
  const mayOperate = useMayOperate();
  const [isAsking, setAsking] = useState(false);
  const act = useMutation({
    mutationFn: (what: 'pauseCrawl' | 'resumeCrawl' | 'stopCrawl') =>
      client[what]({ params: { crawl: crawl.id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['crawl'] }),
  });
  const isRunning = state === 'running';
  if (!mayOperate) return null;
  return (
    <div className="actions">
      {act.error ? <Problem error={act.error} /> : null}
      {isRunning ? (
        <Button
          variant="default"
          leftSection={<Pause />}
          loading={act.isPending}
          onClick={() => act.mutate('pauseCrawl')}
        >
          {words.pause}
        </Button>
      ) : (
        <Button leftSection={<Play />} loading={act.isPending} onClick={() => act.mutate('resumeCrawl')}>
          {words.resume}
        </Button>
      )}
      {isRunning || state === 'paused' ? (
        <Button variant="default" leftSection={<Stop />} onClick={() => setAsking(true)}>
          {words.stop}
        </Button>
      ) : null}
      <Modal
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={words.stopTitle(crawl.name)}
        lockScroll={false}
        closeButtonProps={{ 'aria-label': words.cancel }}
      >
        <p>{words.stopLead}</p>
        <div className="modal-foot">
          <Button variant="default" onClick={() => setAsking(false)}>
            {words.cancel}
          </Button>
          <Button
            color="red"
            data-autofocus
            onClick={() => {
              setAsking(false);
              act.mutate('stopCrawl');
            }}
          >
            {words.stop}
          </Button>
        </div>
      </Modal>
    </div>
  );
}
