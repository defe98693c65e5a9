import type { Job } from '@webfarer/protocol';
import { resolveJob, type Stay } from '@webfarer/protocol/job';
import { hostOf, seedUrl, siteOf } from '@webfarer/protocol/url';

/** What a crawl of an address would do, found out without a request: the same code reads the job at the coordinator. */
export interface CrawlPlan {
  /** What is sent. */
  input: { seeds: string[]; scope: { stay: Stay }; limits?: { pages: number } };
  job: Job;
  seed: string;
  host: string;
  site: string;
  /** The folder of the seed: what `stay: path` keeps to. */
  folder: string;
  hasPath: boolean;
}

export interface CrawlWish {
  address: string;
  stay: Stay;
  pages?: number | undefined;
}

/** Undefined: this is no address. */
export function planOf({ address, stay, pages }: CrawlWish): CrawlPlan | undefined {
  const input = { seeds: [address], scope: { stay }, ...(pages === undefined ? {} : { limits: { pages } }) };
  try {
    const job = resolveJob(input);
    const [seed] = seedUrl(address);
    if (seed === undefined) return undefined;
    const host = hostOf(seed);
    const path = seed.replace(/[?#].*$/, '');
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    return {
      input,
      job,
      seed,
      host,
      site: siteOf(host),
      folder,
      hasPath: folder.split('/').length > 4,
    };
  } catch {
    return undefined;
  }
}

/** What a person means who gives an address alone: a folder of a site is that folder. */
export function usualStay(address: string): Stay {
  return planOf({ address, stay: 'site' })?.hasPath ? 'path' : 'site';
}
