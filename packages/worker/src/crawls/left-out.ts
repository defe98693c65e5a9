import { type Clock, type CrawlId, WebfarerError, type WorkerLook } from '@webfarer/protocol';
import type { LinkCrawl } from '@webfarer/protocol/link';

export interface LeftOutOptions {
  clock: Pick<Clock, 'now'>;
  /** Called once for each reason. */
  unable: (crawl: LinkCrawl, error: unknown) => void;
}

/** Crawls that a worker cannot work on, why, and when it tries again: less and less often, or when the job changes. */
export interface LeftOut {
  /** `forMs`: for how long, instead of what follows from how often it has failed. */
  add(crawl: LinkCrawl, error: unknown, forMs?: number): void;
  /** It is open. */
  opened(crawl: LinkCrawl): void;
  mayTry(crawl: LinkCrawl): boolean;
  /** Forgets all others. */
  keep(crawls: readonly LinkCrawl[]): void;
  first(): { error: unknown } | undefined;
  /** As coordinators are told; undefined: none. */
  told(): WorkerLook['unable'];
  /** Some are to be tried again. */
  isDue(): boolean;
  retryNow(): void;
}

interface Failure {
  revision: string;
  error: unknown;
  message: string;
  againAtMs: number;
}

/** How soon one is tried again, whether or not its job has changed; twice as long after each try. */
const AGAIN_MS = 30_000;
const MOST_AGAIN_MS = 480_000;
/** What is free on a disk is known for nothing. */
const LOOK_MS = 3_000;
/** One that has worked for so long begins again with the shortest wait. */
const WORKED_MS = 300_000;
/** Of an error, as it is shown. */
const MESSAGE_CHARS = 1_000;

export function createLeftOut({ clock, unable }: LeftOutOptions): LeftOut {
  const failures = new Map<CrawlId, Failure>();
  /** How often they have failed in a row, by nonces. */
  const tries = new Map<string, { count: number; openedAtMs: number }>();

  function waitMs({ nonce }: LinkCrawl, error: unknown): number {
    if (codeOf(error) === 'min-free') return LOOK_MS;
    const known = tries.get(nonce) ?? { count: 0, openedAtMs: Number.POSITIVE_INFINITY };
    const count = clock.now() - known.openedAtMs >= WORKED_MS ? 1 : known.count + 1;
    tries.set(nonce, { count, openedAtMs: Number.POSITIVE_INFINITY });
    return Math.min(MOST_AGAIN_MS, AGAIN_MS * 2 ** (count - 1));
  }

  return {
    add(crawl, error, forMs = waitMs(crawl, error)) {
      const { id, revision } = crawl;
      const message = messageOf(error);
      const before = failures.get(id)?.message;
      const isNews = before === undefined || withoutFigures(before) !== withoutFigures(message);
      failures.set(id, { revision, error, message, againAtMs: clock.now() + forMs });
      if (isNews) unable(crawl, error);
    },
    opened({ id, nonce }) {
      failures.delete(id);
      const known = tries.get(nonce);
      if (known) known.openedAtMs = clock.now();
    },
    mayTry({ id, revision }) {
      const failure = failures.get(id);
      return failure?.revision !== revision || clock.now() >= failure.againAtMs;
    },
    keep(crawls) {
      const [ids, nonces] = [crawls.map(({ id }) => id), crawls.map(({ nonce }) => nonce)];
      for (const id of failures.keys()) if (!ids.includes(id)) failures.delete(id);
      for (const nonce of tries.keys()) if (!nonces.includes(nonce)) tries.delete(nonce);
    },
    first: () => failures.values().next().value,
    told() {
      if (failures.size === 0) return undefined;
      return Array.from(failures, ([crawl, { error, message }]) => ({ crawl, code: codeOf(error), message }));
    },
    isDue: () => [...failures.values()].some(({ againAtMs }) => clock.now() >= againAtMs),
    retryNow() {
      for (const failure of failures.values()) failure.againAtMs = 0;
    },
  };
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MESSAGE_CHARS);
}

/** How much is left on a disk changes all the time, and is no other reason. */
function withoutFigures(text: string): string {
  return text.replaceAll(/\d[\d,.]*/g, '0');
}

function codeOf(error: unknown): string {
  return error instanceof WebfarerError ? error.code : 'internal';
}
