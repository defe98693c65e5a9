import { Button } from '@mantine/core';
import { skipToken, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useConnected } from '../api/connected.tsx';
import { EmptyState, Failure, Problem } from '../parts/notices.tsx';
import { When } from '../parts/when.tsx';
import { dataText } from '../text/data-text.ts';
import { useFormats, useText, useTextOf } from '../text/use-text.tsx';
import { handOver } from '../urls/export-menu.tsx';
import { CopyLine } from '../parts/copy-line.tsx';
import {
  checkWhole,
  type FileOutcome,
  type FileVerdict,
  outcomeFor,
  outcomeKey,
  type ShownFile,
} from './file-check.ts';

const pageSize = 200;
/** A browser keeps what it downloads for us until it is whole. */
const mostDownloaded = 1_000_000_000;

const kinds: readonly [pattern: RegExp, kind: keyof typeof dataText.en.files.kinds][] = [
  [/\.warc(\.gz)?$/, 'warc'],
  [/^archive\//, 'index'],
  [/^markdown\//, 'markdown'],
  [/^items\.jsonl$/, 'items'],
  [/^item-changes\.jsonl$/, 'changes'],
  [/^results\.jsonl$/, 'results'],
  [/^report\.html$/, 'report'],
];
const kindOf = (path: string) => kinds.find(([pattern]) => pattern.test(path))?.[1] ?? 'other';

/** In the order of paths, item-changes.jsonl comes behind files/ and report.html behind markdown/. */
const outputsBehind = ['files0', 'markdown0'];

/** Each once: first what lies at the top, then the archive and the other folders. */
function inOrder(files: readonly ShownFile[]): ShownFile[] {
  const each = [...new Map(files.map((file) => [file.path, file])).values()];
  const isTop = ({ path }: ShownFile) => !path.includes('/');
  return [...each.filter(isTop), ...each.filter((file) => !isTop(file))];
}

/** What a crawl wrote on this coordinator, whether its archive is intact, and how to replay it elsewhere. */
export function Files({ crawl }: { crawl: string }) {
  const { files: words } = useTextOf(dataText);
  const { loading } = useText();
  const { count, bytes } = useFormats();
  const { client } = useConnected();
  const asked = useInfiniteQuery({
    queryKey: ['files', crawl],
    initialPageParam: '',
    retry: false,
    queryFn: async ({ pageParam: after, signal }) => {
      const list = (behind: string, limit: number) =>
        client.listFiles({ params: { crawl }, query: { after: behind, limit }, signal });
      const page = await list(after, pageSize);
      if (after !== '' || page.next === undefined) return page;
      // What people look for first must not stand behind a hundred thousand saved pages.
      const outputs = await Promise.all(outputsBehind.map((place) => list(place, 2)));
      return { ...page, items: [...page.items, ...outputs.flatMap(({ items }) => items)] };
    },
    getNextPageParam: ({ next }) => next,
  });
  const files = inOrder(asked.data?.pages.flatMap(({ items }) => items) ?? []);
  if (asked.error && files.length === 0)
    return <Failure error={asked.error} again={() => void asked.refetch()} />;
  if (asked.isLoading) return <p className="soft">{loading}</p>;
  if (files.length === 0)
    return (
      <EmptyState title={words.empty}>
        <p>{words.emptyLead}</p>
        <CopyLine text={words.emptyCommand} />
      </EmptyState>
    );
  const size = bytes(files.reduce((sum, file) => sum + file.bytes, 0));
  const hasArchive = files.some(({ path }) => kindOf(path) === 'warc');
  return (
    <>
      <p className="soft">{words.lead}</p>
      <div className="panel files-panel">
        <table className="files">
          <thead>
            <tr>
              <th scope="col">{words.name}</th>
              <th scope="col">{words.kind}</th>
              <th scope="col" className="num">
                {words.size}
              </th>
              <th scope="col" className="num">
                {words.changed}
              </th>
              <th scope="col">
                <span className="unseen">{words.actions}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {files.map((file) => (
              <FileRow key={file.path} crawl={crawl} file={file} />
            ))}
          </tbody>
        </table>
      </div>
      <p className="soft small">
        {asked.hasNextPage ? words.firstOf(count(files.length)) : words.count(count(files.length), size)}{' '}
        {asked.hasNextPage ? (
          <Button
            variant="default"
            size="compact-sm"
            loading={asked.isFetchingNextPage}
            onClick={() => void asked.fetchNextPage()}
          >
            {words.more}
          </Button>
        ) : null}
      </p>
      {asked.error ? <Problem error={asked.error} /> : null}
      {hasArchive ? <Replay /> : null}
    </>
  );
}

function FileRow({ crawl, file }: { crawl: string; file: ShownFile }) {
  const { files: words } = useTextOf(dataText);
  const { bytes, percent, count } = useFormats();
  const { client } = useConnected();
  const queries = useQueryClient();
  const queryKey = outcomeKey(crawl, file);
  // A check can take minutes: its outcome is there when one comes back to the tab.
  const { data: kept } = useQuery<FileOutcome>({
    queryKey,
    queryFn: skipToken,
    gcTime: Number.POSITIVE_INFINITY,
  });
  const [so, setVerdict] = useState<FileVerdict>();
  const verdict = so ?? kept;
  const [loaded, setLoaded] = useState<number | 'large'>();
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const kind = kindOf(file.path);
  const params = { crawl, file: file.path };

  async function check(): Promise<void> {
    const abort = new AbortController();
    running.current = abort;
    setError(undefined);
    setVerdict({ is: 'checking', share: 0 });
    try {
      const take = (from: number) => client.checkFile({ params, query: { from } });
      const ended = await checkWhole(take, { signal: abort.signal, tell: setVerdict });
      const outcome = outcomeFor(file, ended);
      if (outcome) queries.setQueryData(queryKey, outcome);
      // What is kept goes when the file changes.
      setVerdict(outcome ? undefined : ended);
    } catch (problem) {
      setVerdict(undefined);
      setError(problem);
    }
  }

  async function download(): Promise<void> {
    if (file.bytes > mostDownloaded) return setLoaded('large');
    const abort = new AbortController();
    running.current = abort;
    setError(undefined);
    setLoaded(0);
    try {
      const answer = await client.downloadFile({ params, signal: abort.signal });
      const pieces: Blob[] = [];
      let got = 0;
      for await (const piece of answer.bytes) {
        pieces.push(new Blob([piece as Uint8Array<ArrayBuffer>]));
        got += piece.length;
        setLoaded(got);
      }
      handOver(new Blob(pieces, { type: 'application/octet-stream' }), file.path.split('/').at(-1) ?? 'file');
    } catch (problem) {
      if (!abort.signal.aborted) setError(problem);
    }
    setLoaded(undefined);
  }

  const isChecking = verdict?.is === 'checking';
  return (
    <tr>
      <td className="file-name">
        <bdi dir="ltr">{file.path}</bdi>
        <span role="status">{verdict === undefined ? null : <Verdict of={verdict} />}</span>
        {typeof loaded === 'number' ? (
          <span className="soft small">
            {words.downloading(percent(file.bytes === 0 ? 1 : loaded / file.bytes))}
          </span>
        ) : null}
        {loaded === 'large' ? (
          <div>
            <p className="small">{words.large(bytes(file.bytes))}</p>
            <CopyLine text={downloadCommand(crawl, file.path)} />
          </div>
        ) : null}
        {error === undefined ? null : <Problem error={error} />}
      </td>
      <td className="soft">{words.kinds[kind]}</td>
      <td className="num" title={count(file.bytes)}>
        {bytes(file.bytes)}
      </td>
      <td className="num">
        <When atMs={file.changedAtMs} />
      </td>
      <td className="file-actions">
        {kind === 'warc' ? (
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => (isChecking ? running.current?.abort() : void check())}
          >
            {isChecking ? words.stop : words.check}
          </Button>
        ) : null}
        <Button
          variant="default"
          size="compact-sm"
          disabled={typeof loaded === 'number'}
          onClick={() => void download()}
        >
          {words.download}
        </Button>
      </td>
    </tr>
  );
}

function Verdict({ of }: { of: FileVerdict }) {
  const { files: words } = useTextOf(dataText);
  const { count, percent } = useFormats();
  switch (of.is) {
    case 'checking':
      return <span className="verdict soft">{words.checking(percent(of.share))}</span>;
    case 'stopped':
      return <span className="verdict soft">{words.stopped(percent(of.share))}</span>;
    case 'valid':
      return <span className="verdict good">{words.valid(count(of.records), count(of.digests))}</span>;
    case 'torn':
      return <span className="verdict warn">{words.torn(count(of.records))}</span>;
    case 'damaged':
      return (
        <span className="verdict bad">
          <bdi>{words.damaged(count(of.offset), of.what)}</bdi>
        </span>
      );
  }
}

/** The token stays out of it: a command is pasted into terminals and chats. */
function downloadCommand(crawl: string, path: string): string {
  const at = `${location.origin}/v1/crawls/${encodeURIComponent(crawl)}/files/${encodeURIComponent(path)}`;
  // What encodeURIComponent leaves can end neither the quotes nor the command, but for the apostrophe.
  return `curl -H "authorization: Bearer $WEBFARER_TOKEN" -OJ '${at.replaceAll("'", '%27')}'`;
}

function Replay() {
  const { files: words } = useTextOf(dataText);
  return (
    <section className="panel part replay" aria-labelledby="replay">
      <h2 id="replay">{words.replay}</h2>
      <p>{words.replayLead}</p>
      <CopyLine text="webfarer export FOLDER --wacz site.wacz" />
      <CopyLine
        text={'wb-manager init site\nwb-manager add --unpack-wacz site site.wacz\nwayback --port 8080'}
      />
      <p>{words.validateLead}</p>
      <CopyLine text="webfarer warc validate FOLDER" />
      <p className="soft small">{words.replayFolder}</p>
    </section>
  );
}
