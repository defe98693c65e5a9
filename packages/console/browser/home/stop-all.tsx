import { Button, Modal } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { WebfarerError } from '@webfarer/protocol';
import { useConnected } from '../api/connected.tsx';
import { Name } from '../parts/name.tsx';
import { Problem } from '../parts/notices.tsx';
import { stopAllText } from '../text/stop-all-text.ts';
import { useFormats, useText, useTextOf } from '../text/use-text.tsx';
import { doEach, type EachDone, openCrawls, type StoppableCrawl, stopCrawls } from './stop-crawls.ts';
import { type Stopping, stoppingKey, useStopping } from './use-stopping.ts';

interface StopAllProps {
  isAsking: boolean;
  close: () => void;
}

/** Names that a question or an answer lists before it counts. */
const fewNames = 6;

/** Asks, stops every crawl that runs or is paused, says what came of it, and can resume those that ran. */
export function StopAll({ isAsking, close }: StopAllProps) {
  const stopping = useStopping();
  const { client } = useConnected();
  const queries = useQueryClient();
  const tell = (so: Stopping | null) => queries.setQueryData(stoppingKey, so);

  async function stop(asked: readonly StoppableCrawl[]): Promise<void> {
    close();
    // Some may have begun since the question was asked.
    const crawls = await openCrawls(client).catch(() => asked);
    const all = crawls.length;
    const running = crawls.filter(({ wanted }) => wanted === 'running').length;
    const steering = {
      pause: (id: string) => client.pauseCrawl({ params: { crawl: id } }),
      stop: (id: string) => client.stopCrawl({ params: { crawl: id } }),
    };
    tell({ kind: 'stopping', so: { phase: 'stopping', done: 0, failed: 0 }, all, running });
    const came = await stopCrawls(crawls, steering, (so) => tell({ kind: 'stopping', so, all, running }));
    tell({ kind: 'stopped', came });
    await queries.invalidateQueries({ queryKey: ['crawl'] });
  }

  async function resume(crawls: readonly StoppableCrawl[]): Promise<void> {
    const all = crawls.length;
    tell({ kind: 'resuming', done: 0, all });
    const came = await doEach(
      crawls,
      ({ id }) => client.resumeCrawl({ params: { crawl: id } }),
      ({ done, failed }) => tell({ kind: 'resuming', done: done.length + failed.length, all }),
    );
    tell({ kind: 'resumed', came });
    await queries.invalidateQueries({ queryKey: ['crawl'] });
  }

  return (
    <>
      {isAsking ? <Question close={close} confirm={(crawls) => void stop(crawls)} /> : null}
      {stopping ? (
        <Answer stopping={stopping} resume={(crawls) => void resume(crawls)} close={() => tell(null)} />
      ) : null}
    </>
  );
}

interface QuestionProps {
  close: () => void;
  confirm: (crawls: readonly StoppableCrawl[]) => void;
}

/** The list on the screen holds a part of the crawls: which ones are open is asked of the coordinator. */
function Question({ close, confirm }: QuestionProps) {
  const { client } = useConnected();
  const { data: open, error } = useQuery({
    queryKey: ['open-crawls'],
    queryFn: () => openCrawls(client),
    gcTime: 0,
  });
  if (error) return <Problem error={error} />;
  if (!open) return null;
  return <Asked open={open} close={close} confirm={() => confirm(open)} />;
}

interface AskedProps {
  /** Crawls that run or are paused. */
  open: readonly StoppableCrawl[];
  close: () => void;
  confirm: () => void;
}

function Asked({ open, close, confirm }: AskedProps) {
  const words = useTextOf(stopAllText);
  const { count } = useFormats();
  const running = open.filter(({ wanted }) => wanted === 'running').length;
  return (
    <Modal
      opened
      onClose={close}
      title={words.title(count(open.length), open.length === 1)}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': words.cancel }}
    >
      <p>{words.which(count(running), count(open.length - running))}</p>
      <ul className="stop-names">
        {open.slice(0, fewNames).map(({ id, name }) => (
          <li key={id}>
            <Name of={name} />
          </li>
        ))}
        {open.length > fewNames ? (
          <li className="soft">{words.more(count(open.length - fewNames))}</li>
        ) : null}
      </ul>
      <p>{words.lead}</p>
      <p className="soft stop-others">{words.others}</p>
      <div className="modal-foot">
        <Button variant="default" onClick={close}>
          {words.cancel}
        </Button>
        <Button color="red" data-autofocus onClick={confirm}>
          {words.confirm}
        </Button>
      </div>
    </Modal>
  );
}

interface AnswerProps {
  stopping: Stopping;
  resume: (crawls: readonly StoppableCrawl[]) => void;
  close: () => void;
}

function Answer({ stopping, resume, close }: AnswerProps) {
  const words = useTextOf(stopAllText);
  const { count } = useFormats();
  const line = useAnswerWords(stopping);
  const came = stopping.kind === 'stopped' || stopping.kind === 'resumed' ? stopping.came : undefined;
  const ran =
    stopping.kind === 'stopped' ? stopping.came.done.filter(({ wanted }) => wanted === 'running') : [];
  return (
    <div className="panel stop-answer" role="status">
      <div className="stop-line">
        <p>{line}</p>
        {ran.length > 0 ? (
          <Button size="compact-sm" variant="default" onClick={() => resume(ran)}>
            {ran.length === 1 ? words.resumeOne : words.resume(count(ran.length))}
          </Button>
        ) : null}
        {came ? (
          <Button size="compact-sm" variant="default" onClick={close}>
            {words.close}
          </Button>
        ) : null}
      </div>
      {came && came.failed.length > 0 ? (
        <Failures came={came} isResume={stopping.kind === 'resumed'} />
      ) : null}
    </div>
  );
}

function useAnswerWords(stopping: Stopping): string {
  const words = useTextOf(stopAllText);
  const { count } = useFormats();
  switch (stopping.kind) {
    case 'stopping': {
      const { so, all, running } = stopping;
      const many = count(so.done + so.failed);
      return so.phase === 'pausing' ? words.pausing(many, count(running)) : words.stopping(many, count(all));
    }
    case 'stopped':
      return words.done(count(stopping.came.done.length), stopping.came.done.length === 1);
    case 'resuming':
      return words.resuming(count(stopping.done), count(stopping.all));
    case 'resumed':
      return words.resumed(count(stopping.came.done.length));
  }
}

function Failures({ came, isResume }: { came: EachDone<StoppableCrawl>; isResume: boolean }) {
  const words = useTextOf(stopAllText);
  const { failedToLoad } = useText();
  const { count } = useFormats();
  const many = count(came.failed.length);
  return (
    <>
      <p className="problem">{isResume ? words.resumeFailed(many) : words.failed(many)}</p>
      <ul className="stop-names">
        {came.failed.slice(0, fewNames).map(({ item, error }) => (
          <li key={item.id}>
            <Name of={item.name} />:{' '}
            <bdi>
              {error instanceof WebfarerError ? `${error.message} ${error.next ?? ''}` : failedToLoad}
            </bdi>
          </li>
        ))}
        {came.failed.length > fewNames ? (
          <li className="soft">{words.more(count(came.failed.length - fewNames))}</li>
        ) : null}
      </ul>
    </>
  );
}
