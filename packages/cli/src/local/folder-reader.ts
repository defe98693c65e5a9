import {
  type FolderReader,
  queueInFolder,
  readFolder as readCrawlFolder,
  type RecordFilter,
  retryFolder as retryCrawlFolder,
} from '@webfarer/coordinator';
import type { Url } from '@webfarer/protocol';
import { givenStoreFor } from '../secrets/given-secrets.ts';
import type { LookOptions } from '../crawl/local-port.ts';

/** Looks into a crawl folder, with the password of its store where one was given to this process. */
export async function readFolder(folder: string, options: LookOptions = {}): Promise<FolderReader> {
  return await readCrawlFolder(folder, { ...options, given: givenStoreFor });
}

/** Puts settled URLs of a crawl at rest back into its queue; the next run fetches them. */
export async function retryFolder(
  folder: string,
  filter: RecordFilter,
  options: LookOptions = {},
): Promise<number> {
  return await retryCrawlFolder(folder, filter, { ...options, given: givenStoreFor });
}

/** Makes these URLs the whole queue of a crawl at rest; the next run fetches them. */
export async function queueFolder(folder: string, urls: readonly Url[]): Promise<number> {
  return await queueInFolder(folder, urls, { given: givenStoreFor });
}
