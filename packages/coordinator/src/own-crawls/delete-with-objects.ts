import { WebfarerError } from '@webfarer/protocol';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { markDeleted } from '../catalog/deletion.ts';
import type { CrawlHost, CrawlObjects } from '../crawl/crawl-host.ts';
import type { CrawlDeleter } from './crawl-deleter.ts';

export interface DeletionsOptions {
  /** Undefined where there is none yet. */
  existing: () => Catalog | undefined;
  objectsOf: CrawlHost['objectsOf'];
  deleter: () => Pick<CrawlDeleter, 'erase' | 'stuck'>;
}

export interface Deletions {
  /** Deletes the crawl of this name, wherever it runs, and all that is kept of it. False: there is none. */
  delete(name: string): Promise<boolean>;
  /** The same for a crawl as this entry has it. False: it has changed since. */
  retire(entry: CatalogEntry): Promise<boolean>;
  /** Ends a deletion that was cut off before the objects were gone. */
  endDeletion(entry: CatalogEntry): Promise<void>;
}

export function createDeletions({ existing, objectsOf, deleter }: DeletionsOptions): Deletions {
  const erasing = {
    erase: (entry: CatalogEntry) => deleter().erase(entry),
    remove: async (entry: CatalogEntry) => await existing()?.remove(entry.nonce),
  };

  async function deleteAt(entry: CatalogEntry, version?: number): Promise<boolean> {
    const condemn = async ({ objects }: { objects: boolean }) => {
      const catalog = existing();
      return catalog && (await markDeleted(catalog, entry, { objects, version }));
    };
    return await deleteWithObjects(entry, { objectsOf }, { condemn, ...erasing });
  }

  return {
    async delete(name) {
      const catalog = existing();
      const entry = await catalog?.find(name);
      if (entry) return await deleteAt(entry);
      // Its name is free, and something of it could not be erased so far.
      const begun =
        catalog &&
        deleter()
          .stuck()
          .find((crawl) => crawl.name === name);
      if (begun) await deleter().erase(begun);
      return begun !== undefined;
    },
    retire: (entry) => deleteAt(entry, entry.version),
    endDeletion: (entry) => endDeletion(entry, { objectsOf }, erasing),
  };
}

export interface DeletionSteps {
  /** Marks the entry as deleted: nobody can resume the crawl from then on. Undefined: the entry is gone, or has changed. */
  condemn: (how: { objects: boolean }) => Promise<CatalogEntry | undefined>;
  /** Ends all work on the crawl and erases what coordinators keep of it. */
  erase: (entry: CatalogEntry) => Promise<void>;
  /** Drops the entry of a crawl that had objects. */
  remove: (entry: CatalogEntry) => Promise<void>;
}

/**
 * Deletes a crawl and what it has in object storage. Where this machine has no way to the objects nothing is deleted: a
 * crawl whose archive nobody can find any more would be left there for ever. The entry is judged before any object is
 * touched: a crawl that was resumed meanwhile keeps them. False: it is gone already, or was resumed.
 */
export async function deleteWithObjects(
  entry: CatalogEntry,
  { objectsOf }: Pick<CrawlHost, 'objectsOf'>,
  steps: DeletionSteps,
): Promise<boolean> {
  const found = await objectsOf(entry).catch((error: unknown) => {
    // A place that this version cannot read is none that anybody here can name: the rest is deleted all the same.
    if (error instanceof WebfarerError && error.code === 'job-invalid') return error;
    throw kept(entry.name, 'in object storage', error);
  });
  const unknown = found instanceof WebfarerError ? found : undefined;
  const objects = found instanceof WebfarerError ? undefined : found;
  try {
    await objects?.check().catch((error: unknown) => {
      throw kept(entry.name, `at ${objects.address}`, error);
    });
    const condemned = await steps.condemn({ objects: objects !== undefined });
    if (!condemned) return false;
    if (objects) await eraseAll(condemned, objects, steps);
    else await steps.erase(condemned);
    if (unknown) throw placeUnknown(entry.name, unknown);
    return true;
  } finally {
    objects?.close();
  }
}

/** Ends a deletion that was cut off after the crawl was marked as deleted. */
export async function endDeletion(
  entry: CatalogEntry,
  { objectsOf }: Pick<CrawlHost, 'objectsOf'>,
  steps: Omit<DeletionSteps, 'condemn'>,
): Promise<void> {
  const objects = await objectsOf(entry);
  try {
    if (objects) return await eraseAll(entry, objects, steps);
    await steps.erase(entry);
    await steps.remove(entry);
  } finally {
    objects?.close();
  }
}

/** The entry goes last: a deletion that is cut off can be ended by whoever finds it. */
async function eraseAll(
  entry: CatalogEntry,
  objects: CrawlObjects,
  { erase, remove }: Omit<DeletionSteps, 'condemn'>,
): Promise<void> {
  const left = (error: unknown): never => {
    throw new WebfarerError(
      'incomplete',
      `The crawl ${entry.name} was deleted, but not all its objects: ${messageOf(error)}.`,
      {
        next: `The coordinator tries again within an hour. Or run:  webfarer storage tidy ${objects.address}`,
        cause: error,
      },
    );
  };
  await objects.mark().catch(left);
  await erase(entry);
  await objects.purge().catch(left);
  await remove(entry);
}

function placeUnknown(name: string, cause: WebfarerError): WebfarerError {
  return new WebfarerError(
    'incomplete',
    `The crawl ${name} was deleted. This version cannot read where its job saves captures: ${messageOf(cause)}.`,
    {
      next: 'If it saved to object storage, run webfarer storage tidy with the address it had there.',
      cause,
    },
  );
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
