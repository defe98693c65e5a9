import { WebfarerError } from '@webfarer/protocol';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { CrawlHost } from '../crawl/crawl-host.ts';

/**
 * Deletes a crawl and what it has in object storage. Where this machine has no way to the objects nothing is deleted: a
 * crawl whose archive nobody can find any more would be left there for ever.
 */
export async function deleteWithObjects(
  entry: CatalogEntry,
  { objectsOf }: Pick<CrawlHost, 'objectsOf'>,
  deleteCrawl: (entry: CatalogEntry) => Promise<boolean>,
): Promise<boolean> {
  const objects = await objectsOf(entry).catch((error: unknown) => {
    throw kept(entry.name, 'in object storage', error);
  });
  if (!objects) return await deleteCrawl(entry);
  try {
    await objects.mark().catch((error: unknown) => {
      throw kept(entry.name, `at ${objects.address}`, error);
    });
    const isDeleted = await deleteCrawl(entry);
    await objects.purge().catch((error: unknown) => {
      throw new WebfarerError(
        'incomplete',
        `The crawl ${entry.name} was deleted, but not all its objects: ${messageOf(error)}.`,
        { next: `webfarer storage tidy ${objects.address}`, cause: error },
      );
    });
    return isDeleted;
  } finally {
    objects.close();
  }
}

function kept(name: string, where: string, error: unknown): WebfarerError {
  return new WebfarerError(
    'storage',
    `The crawl ${name} was not deleted: its objects ${where} cannot be deleted from here. ${messageOf(error)}.`,
    {
      next: 'Give this coordinator access to them (the package @aws-sdk/client-s3 and credentials), and delete the crawl again.',
      cause: error,
    },
  );
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}
