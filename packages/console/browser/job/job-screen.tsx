import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { useConnected, useMayOperate } from '../api/connected.tsx';
import { Failure, Problem } from '../parts/notices.tsx';
import { jobText } from '../text/job-text.ts';
import { useFormats, useText, useTextOf } from '../text/use-text.tsx';
import { draftOf, keepDraft } from './draft.ts';
import { hasMasks, textForSeed, textOfJob } from './first-text.ts';
import { JobForm } from './job-form.tsx';
import type { NewJobSearch } from './job-search.ts';
import { tagsOf } from './job-values.ts';
import { usePolicyNames } from './use-policy-names.ts';
import { useLasting } from './use-lasting.ts';
import { readJob, useTextDocument } from './use-job-document.ts';
import { YamlEditor } from './yaml-editor.tsx';
import '../style/job.css';

/** A new job, as a form and as text. */
export function JobScreen() {
  const search = useSearch({ from: '/jobs/new' });
  const { client } = useConnected();
  const { loading } = useText();
  const { from } = search;
  const copied = useQuery({
    queryKey: ['job of', from],
    enabled: from !== undefined,
    queryFn: () => client.getCrawl({ params: { crawl: from ?? '' } }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (copied.error) return <Failure error={copied.error} again={() => void copied.refetch()} />;
  if (from !== undefined && !copied.data) return <p className="soft">{loading}</p>;
  const source = copied.data;
  const first = source ? textOfJob(source.job, source.name) : textForSeed(search);
  return (
    <JobEditor
      key={JSON.stringify(search)}
      search={search}
      first={first}
      firstTags={source?.tags.join(', ') ?? ''}
      isMasked={source !== undefined && hasMasks(source.job)}
    />
  );
}

function JobEditor(props: { search: NewJobSearch; first: string; firstTags: string; isMasked: boolean }) {
  const { search, first, firstTags, isMasked } = props;
  const words = useTextOf(jobText);
  const { count } = useFormats();
  const mayOperate = useMayOperate();
  const draftKey = `job ${JSON.stringify(search)}`;
  const [isDraft, setIsDraft] = useState(() => (draftOf(draftKey) ?? first) !== first);
  const document = useTextDocument(() => draftOf(draftKey) ?? first, readJob);
  const [tags, setTags] = useState(firstTags);
  const policies = usePolicyNames();
  const complete = useMemo(() => ({ known: { policy: policies } }), [policies]);
  const { text, places, read } = document;
  const isBroken = useLasting(document.isBroken);
  useEffect(() => keepDraft(draftKey, text === first ? undefined : text), [draftKey, text, first]);
  return (
    <>
      <div className="job-head">
        <h1>{words.title}</h1>
        <p className="soft">{words.lead}</p>
      </div>
      {isDraft ? (
        <p className="panel job-note" role="status">
          {words.draft}
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => {
              document.change(first);
              setIsDraft(false);
            }}
          >
            {words.discard}
          </Button>
        </p>
      ) : null}
      {isMasked ? <p className="panel job-note">{words.secrets}</p> : null}
      <div className="job-sides">
        <section className="panel part" aria-label={words.form}>
          <JobForm document={document} tags={tags} setTags={setTags} policies={policies} />
        </section>
        <section className="panel part job-text" aria-label={words.text}>
          <YamlEditor
            label={words.text}
            text={text}
            change={document.change}
            places={places}
            complete={complete}
          />
        </section>
      </div>
      <div className="panel job-foot">
        <span className={read.ok ? 'job-ready' : 'soft'} role="status">
          {read.ok ? words.ready : isBroken ? words.broken : words.problems(count(places.length))}
        </span>
        {mayOperate ? (
          <StartButtons
            text={text}
            tags={tags}
            isReady={read.ok}
            started={() => keepDraft(draftKey, undefined)}
          />
        ) : (
          <span className="soft">{words.viewer}</span>
        )}
      </div>
    </>
  );
}

interface StartProps {
  text: string;
  tags: string;
  isReady: boolean;
  started: () => void;
}

function StartButtons({ text, tags, isReady, started }: StartProps) {
  const words = useTextOf(jobText);
  const { client } = useConnected();
  const navigate = useNavigate();
  // One key for each text: pressing twice starts one crawl, and a corrected text is another request.
  const idempotencyKey = useMemo(() => `${crypto.randomUUID()}${text.length}${tags.length}`, [text, tags]);
  const start = useMutation({
    mutationFn: () => client.createCrawl({ body: { job: text, tags: tagsOf(tags) }, idempotencyKey }),
    onSuccess({ name }) {
      started();
      return navigate({ to: '/crawls/$crawl', params: { crawl: name } });
    },
  });
  return (
    <>
      {start.error ? <Problem error={start.error} /> : null}
      <Button disabled={!isReady} loading={start.isPending} onClick={() => start.mutate()}>
        {words.start}
      </Button>
    </>
  );
}
