import type { Peer } from '@webfarer/protocol/link';
import type { CrawlEnd } from './crawl/crawl.ts';
import { nothingElsewhere } from './link/lease-sharing.ts';
import type { WorkerRules } from './link/worker-rules.ts';
import type { ResourceIntake } from './link/worker-session.ts';
import type { LinkTokens } from './tokens/tokens.ts';

/** What listening changes for the crawls of a coordinator. */
export interface Listening {
  tokens: LinkTokens;
  /** Workers of other machines may take part; false: the port is for the person at this machine. */
  servesOthers: boolean;
  /** A worker in this process is still connecting. */
  expectsWorker: boolean;
  othersServe: () => boolean;
  /** Whether metrics of its crawls are this coordinator's to report; one of those that serve them does. */
  reportsCrawls: () => boolean;
  /** Hands workers over to other coordinators. `over`: the crawl is, here and everywhere. */
  retire: (over: boolean, signal: AbortSignal) => Promise<void>;
  /** A crawl is over. The nonce tells it from another one of the same id. Rejects where nobody could be told. */
  ended: (end: CrawlEnd, run: string) => Promise<void>;
  /** It has a crawl again. */
  serving: () => void;
  /** No worker is connected any more; the store is still open. */
  closing: () => Promise<void>;
  link: typeof alone;
  rules: WorkerRules;
  resources: ResourceIntake;
}

/** A coordinator that is the only one. */
export const alone = {
  peers: (): Peer[] => [],
  stillDry: (_hosts: number): void => undefined,
  elsewhere: () => nothingElsewhere,
};
