import type { RenditionKind, SavedRendition } from '@webfarer/protocol';
import { renditionKinds } from '@webfarer/protocol/crawl';
import { readWarc, type WarcRecord } from './warc-reader.ts';

// allow(expression): of the kinds that there are
const pattern = new RegExp(`^urn:(${renditionKinds.join('|')}):(https?:.+)$`, 's');

/** What a record is a form of; undefined where it is something else. */
export function renditionOf(
  record: Pick<WarcRecord, 'type' | 'field'>,
): { kind: RenditionKind; url: string } | undefined {
  if (record.type !== 'resource') return undefined;
  const [, kind, url] = pattern.exec(record.field('warc-target-uri') ?? '') ?? [];
  return url === undefined ? undefined : { kind: kind as RenditionKind, url };
}

/** The forms of a page whose records follow its capture at this offset. */
export async function findRenditions(file: string, offset: number): Promise<SavedRendition[]> {
  const found: SavedRendition[] = [];
  let main: string | undefined;
  for await (const record of readWarc(file, { from: offset })) {
    main ??= record.field('warc-record-id') ?? '';
    if (record.offset > offset && record.field('warc-concurrent-to') !== main) break;
    const { kind } = renditionOf(record) ?? {};
    const mime = record.field('content-type')?.split(';')[0] ?? '';
    const digest = record.field('warc-payload-digest') ?? '';
    const length = await record.finish();
    if (kind && record.offset > offset)
      found.push({ kind, mime, after: record.offset - offset, length, digest });
  }
  return found;
}
