import { Link } from '@tanstack/react-router';
import type { PageRecord } from '@webfarer/protocol';
import type { UrlDocument } from '@webfarer/protocol/api';
import type { ReactNode } from 'react';
import { wasRequested } from '@webfarer/protocol/crawl';
import { useReasonWords } from '../parts/reason-words.ts';
import { When } from '../parts/when.tsx';
import { timesText } from '../text/times-text.ts';
import { useFormats, useText, useTextOf } from '../text/use-text.tsx';
import { Tries, WorkerLink } from './tries.tsx';
import { Waterfall } from './waterfall.tsx';

interface TimelineProps {
  crawl: string;
  document: UrlDocument;
  record: PageRecord | undefined;
}

interface Moment {
  name: string;
  tone: string;
  says: ReactNode;
}

/** How a URL came to where it is, from what is recorded and nothing else. */
export function Timeline(props: TimelineProps) {
  const { one: words } = useText().urls;
  const moments = useMoments(props);
  const { record } = props;
  const isTimed = record !== undefined && wasRequested(record);
  return (
    <section className="panel part" aria-labelledby="timeline">
      <h2 id="timeline">{words.timeline}</h2>
      <ol className="timeline">
        {moments.map(({ name, tone, says }, at) => (
          <li key={at} className={tone}>
            <h3>{name}</h3>
            <p>{says}</p>
          </li>
        ))}
      </ol>
      {record && isTimed ? (
        <>
          {!record.fetched && record.durationMs - (record.firstByteMs ?? record.durationMs) >= 1 ? (
            <TimeBar record={record} />
          ) : null}
          <Waterfall record={record} />
        </>
      ) : null}
      {record ? <Tries record={record} /> : null}
    </section>
  );
}

/** The time until the first byte, and from there to the last. */
function TimeBar({ record }: { record: PageRecord }) {
  const { one: words } = useText().urls;
  const { span } = useFormats();
  const { durationMs, firstByteMs = durationMs } = record;
  const first = Math.min(1_000, (firstByteMs / Math.max(1, durationMs)) * 1_000);
  const label = `${words.firstByte} ${words.after(span(firstByteMs))}, ${words.complete} ${words.after(span(durationMs))}`;
  return (
    <svg className="stack" viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" aria-label={label}>
      <rect className="leased" width={first} height="10" />
      <rect className="done" x={first} width={1_000 - first} height="10" />
    </svg>
  );
}

function useMoments({ crawl, document, record }: TimelineProps): Moment[] {
  const { urls, waits } = useText();
  const words = urls.one;
  const { count, span, bytes } = useFormats();
  const because = useReasonWords();
  const times = useTextOf(timesText);
  const { known, queue, lease, foundAtMs } = document;
  const moments: Moment[] = [];
  const add = (name: string, says: ReactNode, tone = '') => moments.push({ name, says, tone });
  const linked = (url: string) => (
    <Link to="/crawls/$crawl/url" params={{ crawl }} search={{ url }}>
      <bdi dir="ltr">{url}</bdi>
    </Link>
  );
  if (known)
    add(
      words.foundOn,
      known.referrer === undefined ? (
        words.seed
      ) : (
        <>
          {linked(known.referrer)}{' '}
          <span className="soft">
            {words.depth(count(known.depth))}
            {foundAtMs === undefined ? null : (
              <>
                , <When atMs={foundAtMs} clock />
              </>
            )}
          </span>
        </>
      ),
    );
  if (queue) {
    add(words.queued, words.ahead(count(queue.ahead), queue.host));
    add(words.waits, queue.dueInMs > 0 ? words.waitsFor(span(queue.dueInMs), waits[queue.why]) : words.due);
  }
  if (lease)
    add(
      times.leasedTo,
      <>
        <WorkerLink id={lease.worker} /> <span className="soft">{words.since(span(lease.forMs))}</span>
      </>,
      'leased',
    );
  if (!record) return moments;
  const { startedAtMs, durationMs, firstByteMs, ip, attempts, redirectTo, saved = [] } = record;
  const { by, waitedMs } = record.fetched ?? {};
  if (waitedMs !== undefined) {
    const queuedMs = foundAtMs === undefined ? undefined : startedAtMs - waitedMs - foundAtMs;
    const queuedFor = attempts > 1 ? times.queuedWithTries : times.queuedFor;
    add(
      times.queued,
      queuedMs === undefined ? times.queuedUnknown : queuedFor(span(Math.round(Math.max(0, queuedMs)))),
    );
  }
  if (by !== undefined)
    add(
      times.leasedTo,
      <>
        <WorkerLink id={by} />{' '}
        {waitedMs === undefined ? null : (
          <span className="soft">
            <When atMs={startedAtMs - waitedMs} clock />, {times.waited(span(waitedMs))}
          </span>
        )}
      </>,
    );
  if (startedAtMs > 0 && record.verdict !== 'refused')
    add(
      words.requested,
      <>
        <When atMs={startedAtMs} />
        {ip === undefined ? '' : `, ${words.from(ip)}`}
        {attempts > 1 ? `, ${words.tries(count(attempts))}` : ''}
      </>,
    );
  if (firstByteMs !== undefined && !record.fetched)
    add(words.firstByte, words.after(span(Math.round(firstByteMs))), 'leased');
  if (durationMs > 0 && record.status !== undefined)
    add(words.complete, `${words.after(span(Math.round(durationMs)))}, ${bytes(record.bytes)}`, 'done');
  if (record.verdict !== 'done') add(urls.tabs[record.verdict], because(record.reason), record.verdict);
  if (redirectTo !== undefined) add(words.redirected, linked(redirectTo));
  for (const { file, offset, length, revisit } of saved)
    add(
      words.saved,
      <>
        <bdi>
          {offset === undefined || length === undefined
            ? words.savedIn(file)
            : words.savedAt(file, count(offset), bytes(length))}
        </bdi>
        {revisit ? <span className="soft"> {words.revisit}</span> : null}
      </>,
      'done',
    );
  return moments;
}
