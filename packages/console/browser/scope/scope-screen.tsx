import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { WebfarerError } from '@webfarer/protocol';
import type { CrawlDetail } from '@webfarer/protocol/api';
import { useEffect, useState } from 'react';
import { useConnected, useMayOperate } from '../api/connected.tsx';
import type { CrawlStatus } from '../api/crawl-status.ts';
import { useStatus } from '../api/status.ts';
import { CrawlHead } from '../parts/crawl-head.tsx';
import { EmptyState, Failure } from '../parts/notices.tsx';
import type { LifeState } from '../parts/state-badge.tsx';
import { scopeText } from '../text/scope-text.ts';
import { useText, useTextOf } from '../text/use-text.tsx';
import { ApplyDialog } from './apply-dialog.tsx';
import { LastChange } from './last-change.tsx';
import { LeftOutLinks } from './left-out-links.tsx';
import type { ScopeDraft } from './draft-in-address.ts';
import { draftOf, problemsOf, scopeChanges } from './scope-draft.ts';
import { ScopeForm } from './scope-form.tsx';
import { ScopePreviewPanel } from './scope-preview-panel.tsx';
import { useScopePreview } from './use-scope-preview.ts';
import '../style/crawl.css';
import '../style/scope.css';

/** Which URLs belong to a crawl, changed with what the change would do in sight. */
export function ScopeScreen() {
  const text = useText();
  const words = useTextOf(scopeText);
  const { client } = useConnected();
  const { crawl } = useParams({ from: '/crawls/$crawl/scope' });
  const status = useStatus(crawl);
  const asked = useQuery({
    queryKey: ['crawl', crawl, 'scope', status?.state],
    queryFn: () => client.getCrawl({ params: { crawl } }),
    placeholderData: (before) => before,
    retry: false,
  });
  const detail = asked.data;
  const state = detail?.state === 'failed' ? 'failed' : (status?.state ?? detail?.state);
  if (asked.error instanceof WebfarerError && asked.error.code === 'not-found')
    return <EmptyState title={text.crawl.missing(crawl)}>{null}</EmptyState>;
  if (asked.error) return <Failure error={asked.error} again={() => void asked.refetch()} />;
  if (!detail || state === undefined) return <p className="soft">{text.loading}</p>;
  const base = draftOf(detail.job);
  return (
    <>
      <CrawlHead crawl={crawl} name={detail.name} state={state} title={words.title} />
      {base ? (
        <Editor crawl={crawl} detail={detail} base={base} status={status} state={state} />
      ) : (
        <EmptyState title={words.unreadable}>{null}</EmptyState>
      )}
    </>
  );
}

interface EditorProps {
  crawl: string;
  detail: CrawlDetail;
  /** As it is in force. */
  base: ScopeDraft;
  status: CrawlStatus | undefined;
  state: LifeState;
}

function Editor({ crawl, detail, base, status, state }: EditorProps) {
  const words = useTextOf(scopeText);
  const mayOperate = useMayOperate();
  const [wishes, setWishes] = useWishes(crawl);
  const [isAsking, setAsking] = useState(false);
  const draft = { ...base, ...wishes };
  const changes = scopeChanges(detail.job, base, draft);
  const isChanged = Object.keys(changes).length > 0;
  const problems = isChanged ? problemsOf(detail.job, changes, draft) : {};
  const isWrong = Object.keys(problems).length > 0;
  const { version } = detail;
  const preview = useScopePreview({ crawl, version, changes, isReady: isChanged && !isWrong && mayOperate });
  const balance = status?.balance ?? detail.progress?.balance;
  const dropped = status?.dropped ?? detail.progress?.dropped ?? {};
  return (
    <>
      <p className="scope-lead soft">{mayOperate ? words.lead : words.viewer}</p>
      <div className="scope">
        <div className="scope-column">
          <ScopeForm
            detail={detail}
            base={base}
            draft={draft}
            problems={problems}
            change={(next) => setWishes({ ...wishes, ...next })}
            reset={isChanged || isWrong ? () => setWishes({}) : undefined}
          />
          <LastChange
            crawl={crawl}
            detail={detail}
            state={state}
            fillIn={mayOperate ? (before) => setWishes(before) : undefined}
          />
        </div>
        <div className="scope-column">
          <ScopePreviewPanel
            {...preview}
            queued={balance?.queued}
            isChanged={isChanged}
            isWrong={isWrong}
            isRunning={state === 'running'}
            apply={() => setAsking(true)}
          />
          <LeftOutLinks crawl={crawl} dropped={dropped} />
        </div>
      </div>
      {isAsking ? (
        <ApplyDialog
          crawl={crawl}
          detail={detail}
          changes={changes}
          sum={preview.previewed?.sum}
          close={() => setAsking(false)}
          applied={() => {
            setAsking(false);
            setWishes({});
          }}
        />
      ) : null}
    </>
  );
}

/** Longer drafts stay in the tab: an address has a limit. */
const mostInAddress = 3_000;

/** The fields that a person has changed. They stand in the address, so that a link shows the same draft. */
function useWishes(crawl: string) {
  const navigate = useNavigate();
  const { draft = {} } = useSearch({ from: '/crawls/$crawl/scope' });
  const [wishes, setWishes] = useState<Partial<ScopeDraft>>(draft);
  const shown = JSON.stringify(wishes);
  useEffect(() => {
    const kept = shown === '{}' || shown.length > mostInAddress ? {} : { draft: JSON.parse(shown) as object };
    void navigate({
      to: '/crawls/$crawl/scope',
      params: { crawl },
      search: kept,
      replace: true,
      resetScroll: false,
    });
  }, [navigate, crawl, shown]);
  return [wishes, setWishes] as const;
}
