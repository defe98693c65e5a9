import { type Clock, type ErrorCode, WebfarerError } from '@webfarer/protocol';
import type { Peer } from '@webfarer/protocol/link';
import { baseOf } from './address.ts';
import type { Conversation } from './conversation.ts';

/** Which coordinator to try next, and when. */
export interface Route {
  learn(peers: readonly Peer[]): void;
  /** Peers that an earlier process knew. They may be long gone, so it is not waited for what they say. */
  remember(peers: readonly Peer[]): void;
  /** Whether the token may be sent there: never in the clear where every address that was given is encrypted. */
  mayUse(url: string): boolean;
  peers(): Peer[];
  /** Any known address but the one in use. */
  other(): string | undefined;
  arrived(url: string): void;
  /** The connection was a good one. */
  lasted(): void;
  /** Tries until one welcomes us, or all known ones refuse, or the signal says to end. */
  find(
    connect: (url: string, patienceMs: number) => Promise<Conversation>,
    signal: AbortSignal,
    /** Called for each try that failed. */
    failed?: (error: WebfarerError, url: string) => void,
  ): Promise<Conversation | WebfarerError>;
  /** The pause that failures so far deserve. */
  pause(signal: AbortSignal): Promise<void>;
  /** Where it arrived last. */
  readonly url: string | undefined;
  /** Tries in vain since then. */
  readonly failures: number;
}

/** How long one is waited for: little at first, so that one that is silent does not hold up the search. */
const PATIENCE_MS = [700, 1_500, 5_000, 10_000];
/** Pauses between two rounds through all known addresses: half of it, plus as much again by chance. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** How much longer each is than the one before: so whoever is back is found before as much time has passed again. */
const GROWTH = 1.4;
const MOST_PEERS = 1_000;
/** Said by a coordinator that answers and does not want this worker, or not with this token. */
const refusalCodes: ReadonlySet<ErrorCode> = new Set(['link-refused', 'worker-refused', 'link-version']);

export function createRoute({
  urls,
  clock,
  random,
}: {
  urls: readonly string[];
  clock: Clock;
  random: () => number;
}): Route {
  let known: Peer[] = [];
  /** Addresses that only an earlier process knew. */
  let remembered = new Set<string>();
  let at: string | undefined;
  let failures = 0;
  /** In a row. */
  let pauses = 0;

  const given = () => urls.map(baseOf);
  const encrypted = given().every((url) => url.startsWith('https:'));
  const mayUse = (url: string) => !encrypted || baseOf(url).startsWith('https:');
  const usable = (peers: readonly Peer[]) => peers.filter(({ url }) => mayUse(url)).slice(0, MOST_PEERS);
  const addresses = () => [...new Set([...given(), ...known.map(({ url }) => baseOf(url))])];

  /** In random order, so that the workers of a lost coordinator spread; the one that was lost comes last. */
  function round(): string[] {
    const order = addresses()
      .map((url) => ({ url, rank: random() + (url === at ? 1 : 0) }))
      .sort((a, b) => a.rank - b.rank);
    return order.map(({ url }) => url);
  }

  async function pause(signal: AbortSignal): Promise<void> {
    const ms = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * GROWTH ** Math.min(pauses++, 20));
    await clock.sleep(ms * (0.5 + random()), signal).catch(() => undefined);
  }

  return {
    pause,
    mayUse,
    learn(peers) {
      known = usable(peers);
      remembered = new Set();
    },
    remember(peers) {
      known = usable(peers);
      remembered = new Set(known.map(({ url }) => baseOf(url)));
      for (const url of given()) remembered.delete(url);
    },
    peers: () => known,
    other: () => round().find((url) => url !== at),
    arrived(url) {
      at = baseOf(url);
      failures = 0;
    },
    lasted() {
      pauses = 0;
    },
    async find(connect, signal, failed) {
      for (let tried = 0; ; tried++) {
        const refusals: WebfarerError[] = [];
        let open = 0;
        let last: WebfarerError | undefined;
        for (const url of round()) {
          if (signal.aborted) break;
          try {
            const talk = await connect(url, PATIENCE_MS[Math.min(tried, PATIENCE_MS.length - 1)] ?? 0);
            at = url;
            failures = 0;
            return talk;
          } catch (error) {
            failures++;
            last = error instanceof WebfarerError ? error : new WebfarerError('link-lost', String(error));
            if (refusalCodes.has(last.code)) refusals.push(last);
            else if (!remembered.has(url)) open++;
            if (!signal.aborted) failed?.(last, url);
          }
        }
        const [refusal] = refusals;
        if (refusal && open === 0) return refusal;
        if (signal.aborted) return last ?? new WebfarerError('interrupted', 'stopped');
        await pause(signal);
      }
    },
    get url() {
      return at;
    },
    get failures() {
      return failures;
    },
  };
}
