import { type Clock, type Job, type Url, WebfarerError } from '@webfarer/protocol';
import { proxyChooser } from '@webfarer/protocol/job';
import { hostOf, originOf } from '@webfarer/protocol/url';
import type { Egress } from '@webfarer/worker';
import type { Seed } from '@webfarer/coordinator';

/** More seeds than this are a list, not a typing: they are crawled as they stand. */
const MAX_CHECKED = 20;

/** A server that is just being started may take a moment. */
const TRIES = 3;
const AGAIN_MS = 1_000;
/** Failures that are immediate and will not change until the user acts. */
const refusals = {
  'connect-refused': 'the connection was refused',
  'tls-error': 'the secure connection failed',
  'no-ipv6': 'there was no IPv6 route',
} as const;
type Refusal = keyof typeof refusals;

export interface Means {
  fetch: Pick<Egress, 'reach'>;
  clock: Clock;
  signal: AbortSignal;
  /** Whether seeds that all refuse are an error: not where other machines fetch, or a proxy does. */
  mustReach: boolean;
}

interface Refused {
  url: Url;
  reason: Refusal;
  detail: string;
}

interface Tried {
  chosen: Url[];
  /** Every seed, where all of them refuse; else none. */
  refused: Refused[];
}

/**
 * Before anything is written: decides between https and http for seeds typed without a scheme, and tells
 * a mistyped name at once, and within seconds a server that refuses every seed. Only names are looked up and
 * connections opened; nothing is requested. What refuses later, when the crawl runs, is tried again with back-off.
 */
export async function chooseSeeds(seeds: Seed[], job: Job, means: Means): Promise<Url[]> {
  for (let tries = 1; ; tries++) {
    const { chosen, refused } = await tryAll(seeds, job, means);
    const [first] = refused;
    if (!first || !means.mustReach) return chosen;
    if (tries === TRIES) throw unreachable(first, refused.length);
    await means.clock.sleep(AGAIN_MS, means.signal);
  }
}

const advice: Record<Refusal, string> = {
  'connect-refused': 'Check the address and the port, and that the server runs.',
  'tls-error': 'Check the port and the scheme: a server without TLS needs http://.',
  'no-ipv6':
    'The host has only IPv6 addresses: give this machine IPv6, or name a proxy that has it with --proxy.',
};

function unreachable({ url, reason, detail }: Refused, count: number): WebfarerError {
  const others = count > 1 ? ` (and ${count - 1} more)` : '';
  return new WebfarerError(
    'seed-refused',
    `${originOf(url)}${others}: ${refusals[reason]} ${TRIES} times in ${((TRIES - 1) * AGAIN_MS) / 1_000} s (${detail})`,
    { next: `${advice[reason]} Nothing was saved.` },
  );
}

const isRefusal = (reason: string): reason is Refusal => reason in refusals;

async function tryAll(seeds: Seed[], job: Job, { fetch, signal }: Means): Promise<Tried> {
  const first = seeds.map((seed) => seed.candidates[0] as Url);
  if (seeds.length > MAX_CHECKED) return { chosen: first, refused: [] };
  const proxyFor = proxyChooser(job, first.map(hostOf));
  const problems: { url: Url; detail: string }[] = [];
  const refused: Refused[] = [];
  const chosen = await Promise.all(
    seeds.map(async (seed, i) => {
      let refusal: Refused | undefined;
      for (const candidate of seed.candidates) {
        const proxy = proxyFor(candidate);
        const answer = await fetch.reach({
          url: candidate,
          // Behind a proxy the name may mean nothing to this machine.
          ...(proxy === undefined ? {} : { proxy }),
          allowPrivate: job.fetch.allowPrivate,
          timeoutMs: 5_000,
          signal,
        });
        if (answer.ok) return candidate;
        if (answer.reason === 'dns-not-found') {
          problems.push({ url: candidate, detail: answer.detail });
          break;
        }
        const { reason, detail } = answer;
        if (isRefusal(reason)) refusal ??= { url: candidate, reason, detail };
      }
      if (refusal) refused.push(refusal);
      return first[i] as Url;
    }),
  );
  if (problems.length === seeds.length && problems[0]) {
    const names = [...new Set(problems.map(({ url }) => hostOf(url)))].join(', ');
    throw new WebfarerError('no-such-host', `${names}: no such host (DNS NXDOMAIN)`, {
      next: 'Check the spelling; nothing was saved.',
    });
  }
  return { chosen, refused: refused.length === seeds.length ? refused : [] };
}
