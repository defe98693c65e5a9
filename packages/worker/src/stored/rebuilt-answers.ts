import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { SavedAt, SavedRendition, Url } from '@webfarer/protocol';
import { rebuiltAnswersName } from '@webfarer/protocol/crawl';
import { renameDurably } from '@webfarer/protocol/node';
import type { ArchiveFile } from '../archive/archive.ts';
import { WarcProblem } from '../archive/bytes/warc-problem.ts';
import { warcArchive } from '../archive/warc-archive.ts';
import { peekHttp } from '../archive/warc/list-warc.ts';
import { renditionOf } from '../archive/warc/renditions.ts';
import { readWarc, type WarcRecord } from '../archive/warc/warc-reader.ts';
import type { StoredFacts } from './stored-exchange.ts';

export interface Rebuilt {
  files: number;
  /** Answers that a crawl in this folder takes from the archive. */
  answers: number;
  /** Answers that say nothing lasting of their page, or whose body is elsewhere: these URLs are requested again. */
  again: number;
  /** Files that are damaged, and where: what follows is not read. */
  damaged: { file: string; text: string }[];
}

/** One answer of the archive; a line of the file. */
type Answer = StoredFacts & { saved: [SavedAt]; revisitOf?: string };

/**
 * Lists every answer in the WARC files of a folder, so that a crawl which starts there with an empty store handles them
 * instead of requesting their pages.
 */
export async function writeRebuiltAnswers(
  folder: string,
  onFile: (name: string, answers: number) => void,
): Promise<Rebuilt> {
  const files = await warcArchive(folder).files();
  const found: Rebuilt = { files: files.length, answers: 0, again: 0, damaged: [] };
  /** Their bodies are in other records, which may be in any file. */
  const revisits: Answer[] = [];
  const path = join(folder, rebuiltAnswersName);

  async function* lines(): AsyncGenerator<string> {
    for (const file of files) {
      for await (const answer of soundAnswers(file, found)) {
        if (!isLasting(answer)) found.again++;
        else if (answer.revisitOf !== undefined) revisits.push(answer);
        else yield lineOf(answer, found);
      }
      onFile(file.name, found.answers);
    }
    const originals = await placesOf(files, new Set(revisits.map(({ revisitOf = '' }) => revisitOf)));
    for (const { revisitOf = '', ...answer } of revisits) {
      const original = originals.get(revisitOf);
      if (!original) found.again++;
      else yield lineOf(withOriginal(answer, original), found);
    }
  }

  await pipeline(lines(), createWriteStream(`${path}.new`));
  await renameDurably(`${path}.new`, path);
  return found;
}

function lineOf(answer: Answer, found: Rebuilt): string {
  found.answers++;
  return `${JSON.stringify(answer)}\n`;
}

/** Troubles of a server pass; pages, redirects and pages that are gone are what a crawl would record again. */
function isLasting({ status = 0, truncated }: Answer): boolean {
  if ((truncated as string) === 'unspecified') return false;
  return (status >= 200 && status < 400 && status !== 304) || status === 404 || status === 410;
}

async function* soundAnswers(file: ArchiveFile, found: Rebuilt): AsyncGenerator<Answer> {
  try {
    yield* answersIn(file);
  } catch (error) {
    if (!(error instanceof WarcProblem)) throw error;
    found.damaged.push({ file: file.name, text: error.message });
  }
}

/** A capture is its answer and the records behind it that name it. */
async function* answersIn({ name, open }: ArchiveFile): AsyncGenerator<Answer> {
  let main: { answer: Answer; id: string; offset: number } | undefined;
  for await (const record of readWarc(open)) {
    const isAnswer = record.type === 'response' || record.type === 'revisit';
    const http = isAnswer ? await peekHttp(record) : {};
    const length = await record.finish();
    if (isAnswer) {
      if (main) yield main.answer;
      const answer = answerOf(record, { saver: 'warc', file: name, offset: record.offset, length }, http);
      main = answer && { answer, id: record.field('warc-record-id') ?? '', offset: record.offset };
    } else if (main && record.field('warc-concurrent-to') === main.id) {
      const rendition = savedRendition(record, { after: record.offset - main.offset, length });
      if (rendition) (main.answer.saved[0].renditions ??= []).push(rendition);
    }
  }
  if (main) yield main.answer;
}

function answerOf(
  record: WarcRecord,
  at: SavedAt,
  http: { status?: number; mime?: string },
): Answer | undefined {
  const url = record.field('warc-target-uri');
  const startedAtMs = Date.parse(record.field('warc-date') ?? '');
  if (url === undefined || Number.isNaN(startedAtMs)) return undefined;
  const [ip, truncated] = [record.field('warc-ip-address'), record.field('warc-truncated')];
  const revisitOf = record.type === 'revisit' ? (record.field('warc-refers-to') ?? '') : undefined;
  return {
    url: url as Url,
    startedAtMs,
    durationMs: 0,
    ...http,
    ...(ip === undefined ? {} : { ip }),
    ...(truncated === undefined ? {} : { truncated: truncated as 'length' }),
    ...(revisitOf === undefined ? {} : { revisitOf }),
    saved: [at],
  };
}

function savedRendition(
  record: WarcRecord,
  place: Pick<SavedRendition, 'after' | 'length'>,
): SavedRendition | undefined {
  const { kind } = renditionOf(record) ?? {};
  if (!kind) return undefined;
  const mime = record.field('content-type')?.split(';')[0] ?? '';
  return { kind, mime, digest: record.field('warc-payload-digest') ?? '', ...place };
}

interface Original {
  answer: Answer;
  digest: string | undefined;
}

/** Where the records with these ids are. */
async function placesOf(
  files: readonly ArchiveFile[],
  ids: ReadonlySet<string>,
): Promise<Map<string, Original>> {
  const found = new Map<string, Original>();
  if (ids.size === 0) return found;
  for (const { name, open } of files) {
    try {
      for await (const record of readWarc(open)) {
        const id = record.field('warc-record-id') ?? '';
        const isWanted = record.type === 'response' && ids.has(id);
        const http = isWanted ? await peekHttp(record) : {};
        const length = await record.finish();
        if (!isWanted) continue;
        const answer = answerOf(record, { saver: 'warc', file: name, offset: record.offset, length }, http);
        if (answer) found.set(id, { answer, digest: record.field('warc-payload-digest') });
      }
    } catch (error) {
      if (!(error instanceof WarcProblem)) throw error;
    }
  }
  return found;
}

function withOriginal(answer: Answer, { answer: first, digest }: Original): Answer {
  const [{ file, offset = 0, length = 0 }] = first.saved;
  const { url, startedAtMs = 0, status = 0, mime = '' } = first;
  const original = { file, offset, length, status, mime };
  const revisit = { url, startedAtMs, ...(digest === undefined ? {} : { digest }), original };
  return { ...answer, saved: [{ ...answer.saved[0], revisit }] };
}
