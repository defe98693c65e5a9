import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  credentialsIn,
  type Job,
  type Offer,
  seedUrl,
  type Url,
  WebfarerError,
  withoutUserinfo,
} from '@webfarer/protocol';

/** A seed as it was written, and the URLs it may stand for: the first that answers is taken. */
export interface Seed {
  text: string;
  candidates: Url[];
  kind: 'page' | 'sitemap';
}

/** All seeds of a job, seed files read; names and passwords in these become the job's. Lines that start with `#` are comments. */
export async function readSeeds(job: Job, baseFolder: string): Promise<Seed[]> {
  const seeds: Seed[] = [];
  for (const seed of job.seeds) {
    if ('url' in seed) seeds.push(parse(seed.url, 'page'));
    else if ('sitemap' in seed) seeds.push(parse(seed.sitemap, 'sitemap'));
    else {
      const text = await readFile(resolve(baseFolder, seed.file), 'utf8').catch((error: unknown) => {
        throw new WebfarerError(
          'job-invalid',
          `cannot read the seed file ${seed.file}: ${(error as Error).message}`,
        );
      });
      for (const line of text.split(/\r?\n/)) {
        const trimmed = line.trim();
        if (trimmed === '' || trimmed.startsWith('#')) continue;
        seeds.push(parse(withoutUserinfo(trimmed), 'page'));
        job.fetch.credentials.push(...[credentialsIn(trimmed) ?? []].flat());
      }
    }
  }
  if (seeds.length === 0) throw new WebfarerError('usage', 'no seeds to start from');
  return seeds;
}

function parse(text: string, kind: Seed['kind']): Seed {
  const candidates = seedUrl(text);
  if (candidates.length === 0) {
    throw new WebfarerError('usage', `${text} is not a web address`, {
      next: 'Write example.org or https://example.org/',
    });
  }
  return { text, candidates, kind };
}

export function seedOffer(url: Url, kind: Seed['kind']): Offer {
  return { url, kind, depth: 0, cost: 0, hops: 0 };
}
