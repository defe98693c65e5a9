import type { PageRecord } from '@webfarer/protocol';

/** Records as one folder has them: where a crawl is shared, captures in other folders are left out. */
export async function* ownCaptures(
  records: AsyncIterable<PageRecord>,
  member: string | undefined,
): AsyncIterable<PageRecord> {
  if (member === undefined) return yield* records;
  for await (const { saved, ...record } of records) {
    const own = saved?.filter((at) => at.member === member) ?? [];
    yield own.length === 0 ? record : { ...record, saved: own };
  }
}
