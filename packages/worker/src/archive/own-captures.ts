import type { PageRecord, SavedAt } from '@webfarer/protocol';

/** Records as one folder has them: where a crawl is shared, captures in other folders are left out. */
export async function* ownCaptures(
  records: AsyncIterable<PageRecord>,
  member: string | undefined,
): AsyncIterable<PageRecord> {
  if (member === undefined) return yield* records;
  const ownIn = (saved: SavedAt[] = []): SavedAt[] => saved.filter((at) => at.member === member);
  for await (const { saved, resources, ...record } of records) {
    const own = ownIn(saved);
    const loaded = resources
      ?.map((resource) => ({ ...resource, saved: ownIn(resource.saved) }))
      .filter((resource) => resource.saved.length > 0);
    yield {
      ...record,
      ...(own.length === 0 ? {} : { saved: own }),
      ...(loaded === undefined || loaded.length === 0 ? {} : { resources: loaded }),
    };
  }
}
