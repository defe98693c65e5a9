import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { charsetOf, decodeText } from '../../packages/worker/src/extract/charset.ts';

/** Of the corpora, as WEBFARER_CORPORA has them. */
export const judgedFolders = ['html-pages', 'login-forms/html'] as const;

export interface JudgedPage {
  /** Below the corpora. */
  file: string;
  kind: 'article' | 'index' | 'table' | 'forum' | 'product';
  /** Of the file: a judgement is about these bytes. */
  digest: string;
  /** Short hashes of the lines that a reader came for. */
  content: string[];
  /** Of those that may be kept or not: dates, captions, counts, notes of the publisher. All others are boilerplate. */
  either: string[];
}

const hashLength = 6;

export function lineOf({ file, kind, digest, content, either }: JudgedPage): string {
  return [file, kind, digest, content.join(''), either.join('')].join(' ').trim();
}

export function judgedPages(): JudgedPage[] {
  const lines = readFileSync(join(import.meta.dirname, 'judged-pages.txt'), 'utf8').split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [file = '', kind = '', digest = '', content = '', either = ''] = line.split(' ');
      return {
        file,
        kind: kind as JudgedPage['kind'],
        digest,
        content: hashes(content),
        either: hashes(either),
      };
    });
}

const hashes = (joined: string): string[] =>
  Array.from({ length: joined.length / hashLength }, (_, at) =>
    joined.slice(at * hashLength, (at + 1) * hashLength),
  );

/** A page of the corpora, decoded as a crawl decodes it. */
export function pageOf(corpora: string, file: string): { html: string; digest: string } {
  const raw = readFileSync(join(corpora, file));
  const body = file.endsWith('.gz') ? gunzipSync(raw) : raw;
  const digest = createHash('sha256').update(raw).digest('hex').slice(0, 12);
  return { html: decodeText(body, charsetOf(body, {})), digest };
}
