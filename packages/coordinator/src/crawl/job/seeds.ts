import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Job, type Offer, type Url, WebfarerError } from '@webfarer/protocol';
import { credentialsIn, seedUrl, withoutUserinfo } from '@webfarer/protocol/url';

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
      const bad: string[] = [];
      for (const [i, line] of text.split(/\r?\n/).entries()) {
        const trimmed = line.trim();
        if (trimmed === '' || trimmed.startsWith('#')) continue;
        const plain = withoutUserinfo(trimmed);
        if (seedUrl(plain).length === 0) {
          bad.push(`${seed.file}:${i + 1}: ${plain.slice(0, 100)} is not a web address`);
          continue;
        }
        seeds.push(parse(plain, 'page'));
        job.fetch.credentials.push(...[credentialsIn(trimmed) ?? []].flat());
      }
      if (bad.length > 0) throw badLines(bad);
    }
  }
  if (seeds.length === 0) throw new WebfarerError('usage', 'no seeds to start from');
  return seeds;
}

const SHOWN_LINES = 10;

/** Reports every bad line at once, so that the user corrects the list once. */
function badLines(lines: readonly string[]): WebfarerError {
  const more = lines.length > SHOWN_LINES ? [`and ${lines.length - SHOWN_LINES} more`] : [];
  return new WebfarerError('job-invalid', [...lines.slice(0, SHOWN_LINES), ...more].join('\n'), {
    next: 'Write one address per line, such as example.org or https://example.org/; # begins a comment.',
  });
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

/**
 * The seeds as they are crawled, by the very strings of the job where both say the same: an open crawl keeps both lists,
 * which may be long.
 */
export function sharedText(chosen: readonly Url[], seeds: readonly Seed[]): Url[] {
  return chosen.map((url, i) => (seeds[i]?.text === url ? (seeds[i].text as Url) : url));
}

export function seedOffer(url: Url, kind: Seed['kind'], label?: string): Offer {
  const offer: Offer = { url, kind, depth: 0, cost: 0, hops: 0 };
  return label === undefined || kind !== 'page' ? offer : { ...offer, label };
}
