import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { PageRecord } from '@webfarer/protocol';
import { useState } from 'react';
import { useConnected } from '../api/connected.tsx';
import { captureText } from '../text/capture-text.ts';
import { useText, useTextOf } from '../text/use-text.tsx';
import { captureCommand } from './capture-command.ts';
import { Picture } from './picture.tsx';
import { plainText } from './plain-text.ts';
import {
  type Hidden,
  hiddenWhy,
  pictureIn,
  previewsOf,
  readMarkdown,
  readPage,
  readScreenshot,
  type SavedPage,
  type SavedPicture,
  type ShownText,
} from './read-saved.ts';
import { Plain, SavedProblem, Why } from './saved-text.tsx';

type View = 'text' | 'source' | 'markdown' | 'screenshot';

interface Seen {
  page?: SavedPage | Hidden;
  markdown?: ShownText | Hidden;
  screenshot?: SavedPicture | Hidden;
}

/** What was saved, as text or as a picture. Nothing of it is markup here, and nothing of it is requested from the site. */
export function Preview({ crawl, record }: { crawl: string; record: PageRecord }) {
  const { one: words } = useText().urls;
  const { client } = useConnected();
  const saved = previewsOf(record);
  const views: View[] = [
    ...(saved.page ? (['text', 'source'] as const) : []),
    ...(saved.markdown ? (['markdown'] as const) : []),
    ...(saved.screenshot ? (['screenshot'] as const) : []),
  ];
  const [chosen, setChosen] = useState<View>();
  const view = chosen ?? views[0];
  const kind = view === 'text' || view === 'source' ? 'page' : view;
  const { data, error, isLoading } = useQuery({
    queryKey: ['saved', crawl, record.url, record.startedAtMs, kind],
    enabled: kind !== undefined,
    retry: false,
    staleTime: 60_000,
    gcTime: 30_000,
    queryFn: async (): Promise<Seen> => {
      const place = { client, crawl, charset: record.charset };
      const one = kind && saved[kind];
      if (!one) return {};
      if (kind === 'screenshot') return { screenshot: await readScreenshot(one, place) };
      const hidden = hiddenWhy(one);
      if (kind === 'page') return { page: hidden ?? (await readPage(one, place)) };
      return { markdown: hidden ?? (await readMarkdown(one, place)) };
    },
  });
  const shown = kind && saved[kind];
  // What other savers keep are files like any other.
  const command =
    shown?.saver === 'warc'
      ? captureCommand(record.url, kind === 'screenshot' ? pictureIn(shown) : undefined)
      : undefined;
  const page = data?.page && 'line' in data.page ? data.page : undefined;
  return (
    <section className="panel part preview-part" aria-labelledby="preview">
      <div className="preview-head">
        <h2 id="preview">{words.preview}</h2>
        {views.length > 1 && view ? (
          <SegmentedControl
            className="seg"
            size="xs"
            aria-label={words.preview}
            value={view}
            onChange={(next) => setChosen(next)}
            data={views.map((each) => ({ value: each, label: words.previews[each] }))}
          />
        ) : null}
      </div>
      {view === undefined ? <p className="soft">{words.previewNone}</p> : null}
      {isLoading ? <p className="soft">{words.previewLead}</p> : null}
      {error && shown ? <SavedProblem error={error} saved={shown} command={command} /> : null}
      {view === undefined || !data ? null : (
        <Shown view={view} seen={data} url={record.url} mime={record.mime} command={command} />
      )}
      {page && page.headers.length > 0 ? (
        <>
          <h3 id="headers">{words.headers}</h3>
          <div className="headers code" tabIndex={0} role="group" aria-labelledby="headers">
            <dl>
              {page.headers.map(([name, value], at) => (
                <div key={at}>
                  <dt>
                    <bdi>{name}</bdi>
                  </dt>
                  <dd>
                    <bdi>{value}</bdi>
                  </dd>
                </div>
              ))}
            </dl>
          </div>
        </>
      ) : null}
    </section>
  );
}

interface ShownProps {
  view: View;
  seen: Seen;
  url: string;
  mime: string | undefined;
  command: string | undefined;
}

function Shown({ view, seen, url, mime, command }: ShownProps) {
  const words = useTextOf(captureText);
  if (view === 'screenshot') {
    if (!seen.screenshot) return null;
    if ('why' in seen.screenshot) return <Why hidden={seen.screenshot} command={command} />;
    return <Picture url={url} picture={seen.screenshot} />;
  }
  if (view === 'markdown') {
    if (!seen.markdown) return null;
    return 'why' in seen.markdown ? <Why hidden={seen.markdown} /> : <Plain {...seen.markdown} />;
  }
  if (!seen.page) return null;
  if ('why' in seen.page) return <Why hidden={seen.page} command={command} />;
  const { isRevisit, drawn } = seen.page;
  const isDrawn = view === 'text' && drawn !== undefined;
  const source = isDrawn ? drawn : seen.page.source;
  const isMarkup = isDrawn || /html|xml/.test(mime ?? '');
  const text =
    view === 'text' && isMarkup && source.text !== undefined ? plainText(source.text) : source.text;
  if (isRevisit && text === undefined) return <Why hidden={{ why: 'earlier' }} />;
  return (
    <>
      {isDrawn ? <p className="soft small">{words.drawn}</p> : null}
      {isRevisit && !isDrawn ? <p className="soft small">{words.revisited}</p> : null}
      <Plain text={text} isCut={source.isCut} />
    </>
  );
}
