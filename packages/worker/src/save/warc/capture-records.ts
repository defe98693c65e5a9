import type { SavedRendition } from '@webfarer/protocol';
import { renditionUri } from '@webfarer/protocol/crawl';
import { targetOf } from '@webfarer/protocol/url';
import { sha1Digest } from '../../bytes/digest.ts';
import type { Rendition } from '../../fetch/fetch.ts';
import { gzipMember } from '../gzip-member.ts';
import { archivedRequest, responseHead, revisitHead } from './http-heads.ts';
import type { Capture } from '../saver.ts';
import type { SeenBody } from './seen-bodies.ts';
import {
  type Field,
  fieldLines,
  recordEnd,
  recordHead,
  recordId,
  smallMember,
  warcDate,
} from './record-writer.ts';

/** WARC 1.1 (ISO 28500:2017) records as gzip members, ready to append. Knows nothing of files. */

/** Bodies of these types are compressed already. */
const packedTypes =
  /^(?:image\/(?!svg|bmp|x-ms-bmp)|video\/|audio\/(?!x-wav|wav|midi)|font\/woff|application\/(?:zip|gzip|x-gzip|x-7z|x-rar|x-bzip|x-xz|zstd|java-archive|epub|vnd\.openxml|vnd\.oasis))/;

const httpResponse = 'application/http; msgtype=response';
const revisitProfile = 'http://netpreserve.org/warc/1.1/revisit/';

export interface WarcMembers {
  /** The response, or the revisit that stands for it. */
  main: Buffer[];
  mainLength: number;
  mainId: string;
  /** The request and what else is known. */
  rest: Buffer[];
  renditions: RenditionMember[];
}

/** The record of what a browser made of the page. */
export interface RenditionMember extends Omit<SavedRendition, 'after' | 'length'> {
  member: Buffer[];
}

/** One capture: a response or a revisit, the request that led to it, and what was learnt on the way. */
export async function captureMembers(capture: Capture, same?: SeenBody): Promise<WarcMembers> {
  const { entry, page } = capture;
  const mainId = recordId();
  const common: Field[] = [
    ['WARC-Target-URI', targetOf(entry.url)],
    ['WARC-Date', warcDate(page.startedAtMs)],
    ['WARC-IP-Address', page.ip],
    ['WARC-Protocol', 'http/1.1'],
  ];
  const main = same
    ? revisitMember(capture, same, [['WARC-Record-ID', mainId], ...common])
    : await responseMember(capture, [['WARC-Record-ID', mainId], ...common]);
  const request = archivedRequest(page.requestHead, page.requestBody);
  const beside = (type: string): Field[] => [
    ['WARC-Type', type],
    ['WARC-Record-ID', recordId()],
    ...common,
    ['WARC-Concurrent-To', mainId],
  ];
  return {
    main,
    mainLength: main.reduce((sum, part) => sum + part.length, 0),
    mainId,
    rest: [
      ...smallMember(beside('request'), 'application/http; msgtype=request', request.bytes),
      ...smallMember(beside('metadata'), 'application/warc-fields', factLines(capture, request.omitted)),
    ],
    renditions: await Promise.all(
      (capture.renditions ?? noRenditions).map((one) => renditionMember(one, capture, mainId)),
    ),
  };
}

const noRenditions: readonly Rendition[] = [];

/** Under an address of its own, so that no reader takes it for the answer of the server. */
async function renditionMember(
  { kind, mime, bytes }: Rendition,
  { entry, page }: Capture,
  mainId: string,
): Promise<RenditionMember> {
  const digest = sha1Digest(bytes);
  const head = recordHead([
    ['WARC-Type', 'resource'],
    ['WARC-Record-ID', recordId()],
    ['WARC-Target-URI', renditionUri(kind, targetOf(entry.url))],
    ['WARC-Date', warcDate(page.startedAtMs)],
    ['WARC-Concurrent-To', mainId],
    ['WARC-Payload-Digest', digest],
    ['WARC-Block-Digest', digest],
    ['Content-Type', mime.startsWith('text/') ? `${mime}; charset=utf-8` : mime],
    ['Content-Length', String(bytes.length)],
  ]);
  const packed = packedTypes.test(mime);
  return {
    kind,
    mime,
    digest,
    member: await gzipMember({ head, body: bytes, end: Buffer.from(recordEnd), packed }),
  };
}

function responseMember(capture: Capture, fields: Field[]): Promise<Buffer[]> {
  const { page } = capture;
  const httpHead = responseHead(page);
  const head = recordHead([
    ['WARC-Type', 'response'],
    ...fields,
    ['WARC-Payload-Digest', capture.digest],
    ['WARC-Block-Digest', sha1Digest(httpHead, page.body)],
    ['WARC-Truncated', page.truncated ?? (page.unread ? 'unspecified' : undefined)],
    ['Content-Type', httpResponse],
    ['Content-Length', String(httpHead.length + page.body.length)],
  ]);
  return gzipMember({
    head: Buffer.concat([head, httpHead]),
    body: page.body,
    end: Buffer.from(recordEnd),
    packed: isPacked(capture),
  });
}

/** The answer's own head, and where its body is: the same bytes, or unchanged as the server says. */
function revisitMember({ page }: Capture, { revisit, recordId }: SeenBody, fields: Field[]): Buffer[] {
  const profile = page.status === 304 ? 'server-not-modified' : 'identical-payload-digest';
  return smallMember(
    [
      ['WARC-Type', 'revisit'],
      ...fields,
      ['WARC-Profile', revisitProfile + profile],
      ['WARC-Refers-To', recordId],
      ['WARC-Refers-To-Target-URI', targetOf(revisit.url)],
      ['WARC-Refers-To-Date', warcDate(revisit.startedAtMs)],
      ['WARC-Payload-Digest', revisit.digest],
    ],
    httpResponse,
    revisitHead(page),
  );
}

function factLines({ entry, page, facts }: Capture, omitted: string[]): Buffer {
  const number = (value: number | undefined) => (value === undefined ? undefined : String(Math.round(value)));
  return fieldLines([
    ['fetchTimeMs', number(page.durationMs)],
    ['firstByteMs', number(page.firstByteMs)],
    ['kind', entry.kind],
    ['depth', number(entry.depth)],
    ['via', entry.referrer],
    ['outlinks', number(facts?.links)],
    ...(facts?.signals ?? []).map((signal): Field => ['signal', signal]),
    ['requestHeadersOmitted', omitted.length > 0 ? omitted.join(', ') : undefined],
  ]);
}

export interface WarcInfo {
  fileName: string;
  dateMs: number;
  /** Lines of `application/warc-fields`: software, isPartOf, robots, ... */
  fields: [string, string][];
}

/** The record at the head of each file. */
export function warcinfoMember(info: WarcInfo): Buffer[] {
  return smallMember(
    [
      ['WARC-Type', 'warcinfo'],
      ['WARC-Record-ID', recordId()],
      ['WARC-Date', warcDate(info.dateMs)],
      ['WARC-Filename', info.fileName],
    ],
    'application/warc-fields',
    fieldLines(info.fields),
  );
}

function isPacked({ page, mime }: Capture): boolean {
  return (
    packedTypes.test(mime) ||
    page.headers.some(([name, value]) => {
      return name.toLowerCase() === 'content-encoding' && !/^\s*(?:identity)?\s*$/i.test(value);
    })
  );
}
