import { Button, Modal } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { CrawlDetail } from '@webfarer/protocol/api';
import { stateTable } from '@webfarer/protocol/numbers';
import { useState } from 'react';
import { useConnected, useMayOperate } from '../api/connected.tsx';
import { useTakesCrawls } from '../api/takes-crawls.ts';
import { Pause, Play, Stop } from '../parts/icons.tsx';
import { Problem } from '../parts/notices.tsx';
import type { LifeState } from '../parts/state-badge.tsx';
import { useText } from '../text/use-text.tsx';
import { DeleteCrawl } from './delete-crawl.tsx';

interface CrawlActionsProps {
  crawl: CrawlDetail;
  state: LifeState;
  queued: number;
}

/** Pause and resume take one click, because each takes back the other; stop asks first. */
export function CrawlActions({ crawl, state, queued }: CrawlActionsProps) {
  const { crawl: words } = useText();
  const { client } = useConnected();
  const queries = useQueryClient();
  const mayOperate = useMayOperate();
  const takesCrawls = useTakesCrawls();
  const [isAsking, setAsking] = useState(false);
  const act = useMutation({
    mutationFn: (what: 'pauseCrawl' | 'resumeCrawl' | 'stopCrawl') =>
      client[what]({ params: { crawl: crawl.id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['crawl'] }),
  });
  const { offers } = stateTable[state];
  // A crawl that is over has nothing to resume, unless URLs were queued again.
  const mayResume = offers === 'resume' || (offers === 'nothing' && queued > 0);
  if (!mayOperate) return null;
  return (
    <div className="actions">
      {act.error ? <Problem error={act.error} /> : null}
      {offers === 'pause' ? (
        <Button
          variant="default"
          leftSection={<Pause />}
          loading={act.isPending}
          onClick={() => act.mutate('pauseCrawl')}
        >
          {words.pause}
        </Button>
      ) : null}
      {mayResume ? (
        <Button leftSection={<Play />} loading={act.isPending} onClick={() => act.mutate('resumeCrawl')}>
          {words.resume}
        </Button>
      ) : null}
      {state === 'running' || state === 'paused' ? (
        <Button variant="default" leftSection={<Stop />} onClick={() => setAsking(true)}>
          {words.stop}
        </Button>
      ) : null}
      {state === 'running' || state === 'paused' || !takesCrawls ? null : <DeleteCrawl crawl={crawl} />}
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
