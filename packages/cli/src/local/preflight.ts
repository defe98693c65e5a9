import { hostOf, type Job, type Url, WebfarerError } from '@webfarer/protocol';
import type { Fetch } from '@webfarer/worker';
import type { Seed } from './seeds.ts';

/** More seeds than this are a list, not a typing: they are crawled as they stand. */
const MAX_CHECKED = 20;

/**
 * Before anything is written: decides between https and http for seeds typed without a scheme, and tells
 * a mistyped name at once. Only names are looked up and connections opened; nothing is requested.
 */
export async function chooseSeeds(
  seeds: Seed[],
  job: Job,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<Url[]> {
  const first = seeds.map((seed) => seed.candidates[0] as Url);
  if (seeds.length > MAX_CHECKED) return first;
  const problems: { url: Url; detail: string }[] = [];
  const chosen = await Promise.all(
    seeds.map(async (seed, i) => {
      for (const candidate of seed.candidates) {
        const answer = await fetch.reach({
          url: candidate,
          allowPrivate: job.fetch.allowPrivate,
          timeoutMs: 5_000,
          signal,
        });
        if (answer.ok) return candidate;
        if (answer.reason === 'dns-not-found') {
          problems.push({ url: candidate, detail: answer.detail });
          break;
        }
      }
      return first[i] as Url;
    }),
  );
  if (problems.length === seeds.length && problems[0]) {
    const names = [...new Set(problems.map(({ url }) => hostOf(url)))].join(', ');
    throw new WebfarerError('no-such-host', `${names}: no such host (DNS NXDOMAIN)`, {
      next: 'Check the spelling; nothing was saved.',
    });
  }
  return chosen;
}
