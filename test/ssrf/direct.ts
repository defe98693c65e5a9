import { type FetchAnswer, createEgress } from '@webfarer/worker';
import { systemClock, type Url } from '@webfarer/protocol';
import { normaliser } from '@webfarer/protocol/url';
import { boundaryAddresses, mayBeReached } from './registries.ts';
import { allowedAddress } from './places.ts';
import { forbiddenPlaces, forbiddenUrls } from './spellings.ts';

export interface Tally {
  cases: number;
  /** Answers that differ from what the registries and the rules demand, with the URL. */
  wrong: string[];
  /** Cases that were refused before any connection, and that ended at a public place. */
  refused: number;
  reachedPublic: number;
}

type Fetcher = ReturnType<typeof createEgress>;

const normalise = normaliser({ enabled: true, sort: true, strip: [] });

/** Rules of the negative control: the guard is told that everything is allowed. */
export const everything = ['0.0.0.0/0', '::/0'];

export function ask(
  fetcher: Fetcher,
  url: string,
  more: { allow?: string[]; proxy?: string } = {},
): Promise<FetchAnswer> {
  return fetcher.open('').fetch({
    url: url as Url,
    method: 'GET',
    headers: [['User-Agent', 'webfarer-proof']],
    timeoutMs: 5_000,
    maxBytes: 100_000,
    maxDecodedBytes: 100_000,
    allowPrivate: more.allow ?? [],
    ...(more.proxy === undefined ? {} : { proxy: more.proxy }),
    signal: new AbortController().signal,
  });
}

/** Runs the cases a few at a time; each may take a connection. */
export async function each<T>(
  list: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = list.values();
  const lane = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: width }, lane));
}

export const emptyTally = (): Tally => ({ cases: 0, wrong: [], refused: 0, reachedPublic: 0 });

function note(
  tally: Tally,
  url: string,
  answer: FetchAnswer,
  expected: 'refused' | 'reached' | 'either',
): void {
  tally.cases++;
  const refused = !answer.ok && (answer.reason === 'private-address' || answer.reason === 'port');
  if (refused) tally.refused++;
  else if (answer.ok) tally.reachedPublic++;
  const right = expected === 'either' || refused === (expected === 'refused');
  if (!right && tally.wrong.length < 50)
    tally.wrong.push(`${url} → ${answer.ok ? answer.status : answer.reason}`);
}

/** Every edge of every row, as http and https, fetched and merely reached: the verdict must be the registry's. */
export async function registryCases(tally: Tally, allow: string[]): Promise<void> {
  const fetcher = createEgress({ clock: systemClock(), dns: ['127.0.0.1'], connectTimeoutMs: 2_000 });
  await each(boundaryAddresses(), 16, async (address) => {
    const host = address.includes(':') ? `[${address}]` : address;
    const expected = mayBeReached(address) ? 'reached' : 'refused';
    for (const scheme of ['http', 'https']) {
      const url = normalise(`${scheme}://${host}/edge`) ?? '';
      note(tally, url, await ask(fetcher, url, { allow }), allow.length > 0 ? 'either' : expected);
    }
    const signal = new AbortController().signal;
    const url = normalise(`http://${host}/`) as Url;
    const reached = await fetcher.reach({ url, allowPrivate: allow, timeoutMs: 5_000, signal });
    tally.cases++;
    if (allow.length === 0 && reached.ok !== (expected === 'reached')) tally.wrong.push(`reach ${url}`);
  });
  await fetcher.close();
}

/** Spellings go through the crawl's own reading of URLs first; what it does not read needs no guard. */
export async function spellingCases(tally: Tally, allow: string[]): Promise<void> {
  // The system's own name servers and hosts file, as a person has it; they lead to the name server here.
  const fetcher = createEgress({ clock: systemClock(), connectTimeoutMs: 2_000 });
  const urls = [...forbiddenUrls('http', allowedAddress), ...forbiddenUrls('https', allowedAddress)];
  await each(urls, 16, async (text) => {
    const url = normalise(text);
    if (url === undefined) {
      tally.cases++;
      tally.refused++;
    } else note(tally, text, await ask(fetcher, url, { allow }), 'either');
  });
  // An operator's proxy must not be asked for a literal either; nothing listens there.
  await each(forbiddenPlaces, 8, async (place) => {
    const proxied = { allow, proxy: 'http://127.0.0.1:3128' };
    note(
      tally,
      `${place} by proxy`,
      await ask(fetcher, `http://${place}/`, proxied),
      allow.length > 0 ? 'either' : 'refused',
    );
  });
  await fetcher.close();
}

/** Ports of other services on a public host. */
export async function portCases(tally: Tally, ports: number[]): Promise<void> {
  const fetcher = createEgress({ clock: systemClock(), dns: ['127.0.0.1'] });
  await each(ports, 8, async (port) => {
    for (const scheme of ['http', 'https']) {
      const url = `${scheme}://${allowedAddress}:${port}/`;
      note(tally, url, await ask(fetcher, url), 'refused');
    }
  });
  await fetcher.close();
}
