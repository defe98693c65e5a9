import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useConnected } from '../api/connected.tsx';
import { Problem } from '../parts/notices.tsx';
import { jobText } from '../text/job-text.ts';
import { tryText } from '../text/try-text.ts';
import { useTextOf } from '../text/use-text.tsx';
import { tagsOf } from './job-values.ts';
import { tryOf, tryTag } from './try-job.ts';

interface StartProps {
  text: string;
  tags: string;
  /** What the crawl would be called; undefined: the job is not valid yet. */
  name: string | undefined;
  started: () => void;
}

/** Starts the job, or a small part of it under another name. */
export function StartButtons({ text, tags, name, started }: StartProps) {
  const words = useTextOf(jobText);
  const { tryIt, tryHint } = useTextOf(tryText);
  const { client } = useConnected();
  const navigate = useNavigate();
  // One key for each text: pressing twice starts one crawl, and a corrected text is another request.
  const key = useMemo(() => ({ of: [text, tags], id: crypto.randomUUID() }).id, [text, tags]);
  const start = useMutation({
    mutationFn: (isTry: boolean) =>
      client.createCrawl({
        body: isTry
          ? { job: tryOf(text, `${name ?? ''}-try-${key.slice(0, 4)}`), tags: [...tagsOf(tags), tryTag] }
          : { job: text, tags: tagsOf(tags) },
        idempotencyKey: isTry ? `${key}-try` : key,
      }),
    onSuccess(crawl, isTry) {
      if (!isTry) started();
      return navigate({ to: '/crawls/$crawl', params: { crawl: crawl.name } });
    },
  });
  const isReady = name !== undefined;
  return (
    <>
      {start.error ? <Problem error={start.error} /> : null}
      <Button
        variant="default"
        title={tryHint}
        disabled={!isReady || start.isPending}
        onClick={() => start.mutate(true)}
      >
        {tryIt}
      </Button>
      <Button disabled={!isReady} loading={start.isPending} onClick={() => start.mutate(false)}>
        {words.start}
      </Button>
    </>
  );
}
