import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { useConnected, useMayOperate } from '../api/connected.tsx';
import { useTakesCrawls } from '../api/takes-crawls.ts';
import { Failure } from '../parts/notices.tsx';
import { jobText } from '../text/job-text.ts';
import { useFormats, useText, useTextOf } from '../text/use-text.tsx';
import { draftOf, keepDraft } from './draft.ts';
import { hasMasks, textForSeed, textOfJob } from './first-text.ts';
import { JobDifferences } from './job-differences.tsx';
import { JobForm } from './job-form.tsx';
import type { NewJobSearch } from './job-search.ts';
import { valueAt } from './job-values.ts';
import { JudgeBox } from './judge-box.tsx';
import { StartButtons } from './start-buttons.tsx';
import { usePolicyNames } from './use-policy-names.ts';
import { useLasting } from './use-lasting.ts';
import { readJob, useTextDocument } from './use-job-document.ts';
import { YamlEditor } from './yaml-editor.tsx';
import '../style/job.css';
import '../style/try.css';

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
  const [mayOperate, takesCrawls] = [useMayOperate(), useTakesCrawls()];
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
      <div className="job-below">
        <JobDifferences
          from={search.from}
          name={valueAt(document.written, ['name'])}
          written={document.written}
        />
        <JudgeBox written={document.written} isReady={read.ok} />
      </div>
      <div className="panel job-foot">
        <span className={read.ok ? 'job-ready' : 'soft'} role="status">
          {read.ok ? words.ready : isBroken ? words.broken : words.problems(count(places.length))}
        </span>
        {mayOperate && takesCrawls ? (
          <StartButtons
            text={text}
            tags={tags}
            name={read.ok ? read.value.name : undefined}
            started={() => keepDraft(draftKey, undefined)}
          />
        ) : (
          <span className="soft">{takesCrawls ? words.viewer : words.oneCrawl}</span>
        )}
      </div>
    </>
  );
}
