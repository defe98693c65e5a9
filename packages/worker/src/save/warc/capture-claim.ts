import type { SavedRendition } from '@webfarer/protocol';
import { renditionKinds } from '@webfarer/protocol/crawl';
import { statedLength } from '../../archive/bytes/member-header.ts';
import { WarcProblem } from '../../archive/bytes/warc-problem.ts';
import { findRenditions, renditionOf } from '../../archive/warc/renditions.ts';
import { readWarc } from '../../archive/warc/warc-reader.ts';
import { validateWarc } from '../../archive/warc/validate-warc.ts';

/** What records of a capture are of, by their own words. */
export interface CaptureClaim {
  url: string;
  /** Of the payload, as worked out anew. */
  digest: string | undefined;
  renditions: SavedRendition[];
}

/** Bytes of the first record; undefined where the bytes are not whole members of ours, one behind the other. */
export function firstMember(bytes: Buffer): number | undefined {
  let first: number | undefined;
  for (let at = 0; at < bytes.length; ) {
    const length = statedLength(bytes.subarray(at));
    if (length === undefined || at + length > bytes.length) return undefined;
    first ??= length;
    at += length;
  }
  return first;
}

/**
 * What a stranger says is a capture: an answer, the request, what else is known of it and what a browser made of it, in one
 * file, all of the same URL, no block larger than allowed, every digest right. Undefined: it is something else.
 */
export async function readClaim(path: string, mostBytes: number): Promise<CaptureClaim | undefined> {
  const found = await headsOf(path, mostBytes);
  const [main, ...rest] = found ?? [];
  if (main?.type !== 'response' || rest.some(({ url }) => url !== main.url)) return undefined;
  const kinds = rest.map(({ type }) => type);
  if (new Set(kinds).size < kinds.length || !kinds.every((kind) => besides.has(kind))) return undefined;
  const { url, digest } = main;
  return (await validateWarc(path)).ok
    ? { url, digest, renditions: await findRenditions(path, 0) }
    : undefined;
}

const besides = new Set(['request', 'metadata', ...renditionKinds]);

interface Head {
  /** Of the record, or of the form of a page that it holds. */
  type: string;
  url: string;
  digest: string | undefined;
}

async function headsOf(path: string, mostBytes: number): Promise<Head[] | undefined> {
  const heads: Head[] = [];
  try {
    for await (const record of readWarc(path)) {
      // Looked at before anything is unpacked: a small file can hold a large nothing.
      if (record.contentLength > mostBytes || heads.length > besides.size) return undefined;
      const form = renditionOf(record);
      const url = form?.url ?? record.field('warc-target-uri') ?? '';
      heads.push({ type: form?.kind ?? record.type, url, digest: record.field('warc-payload-digest') });
    }
  } catch (error) {
    if (error instanceof WarcProblem) return undefined;
    throw error;
  }
  return heads;
}
