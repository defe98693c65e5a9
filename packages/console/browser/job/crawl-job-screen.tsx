import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useConnected, useMayOperate } from '../api/connected.tsx';
import { useTakesCrawls } from '../api/takes-crawls.ts';
import { useStatus } from '../api/status.ts';
import { CrawlHead } from '../parts/crawl-head.tsx';
import { Failure, Problem } from '../parts/notices.tsx';
import { jobText } from '../text/job-text.ts';
import { tryText } from '../text/try-text.ts';
import { useText, useTextOf } from '../text/use-text.tsx';
import { hasMasks, readOnlyText } from './first-text.ts';
import { isTry } from './try-job.ts';
import '../style/crawl.css';
import '../style/editor.css';
import '../style/job.css';

/** The job of a crawl, to be read, and to begin another one with. */
export function CrawlJobScreen() {
  const words = useTextOf(jobText);
  const { loading } = useText();
  const { client } = useConnected();
  const navigate = useNavigate();
  const [mayOperate, takesCrawls] = [useMayOperate(), useTakesCrawls()];
  const { crawl } = useParams({ from: '/crawls/$crawl/job' });
  const status = useStatus(crawl);
  const { data, error, refetch } = useQuery({
    queryKey: ['crawl', crawl, 'job', status?.state],
    queryFn: () => client.getCrawl({ params: { crawl } }),
    placeholderData: (before) => before,
    retry: false,
  });
  if (error) return <Failure error={error} again={() => void refetch()} />;
  const state = data?.state === 'failed' ? 'failed' : (status?.state ?? data?.state);
  return (
    <>
      <CrawlHead crawl={crawl} name={data?.name ?? crawl} state={state} title={words.tab}>
        {data && mayOperate && takesCrawls ? (
          <div className="actions">
            <Button
              variant="default"
              onClick={() => void navigate({ to: '/schedules', search: { create: true, from: data.name } })}
            >
              {words.schedule}
            </Button>
            <Button onClick={() => void navigate({ to: '/jobs/new', search: { from: data.name } })}>
              {words.editAsNew}
            </Button>
          </div>
        ) : null}
      </CrawlHead>
      {data && isTry(data) && mayOperate ? <DeleteTry crawl={data.name} /> : null}
      {data ? (
        <section className="panel part" aria-label={words.text}>
          <p className="soft">{words.ofCrawl}</p>
          {hasMasks(data.job) ? <p className="soft">{words.secrets}</p> : null}
          <pre className="yaml-view" tabIndex={0}>
            {readOnlyText(data.job)}
          </pre>
        </section>
      ) : (
        <p className="soft">{loading}</p>
      )}
    </>
  );
}

function DeleteTry({ crawl }: { crawl: string }) {
  const words = useTextOf(tryText);
  const { client } = useConnected();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => client.deleteCrawl({ params: { crawl } }),
    onSuccess: () => navigate({ to: '/' }),
  });
  return (
    <p className="panel job-note" role="status">
      {words.isTry}
      <Button size="compact-sm" variant="default" loading={remove.isPending} onClick={() => remove.mutate()}>
        {words.deleteTry}
      </Button>
      {remove.error ? <Problem error={remove.error} /> : null}
    </p>
  );
}
