import type { HostKey, Offer } from '@webfarer/protocol';
import type { OfferVerdict } from '../../frontier.ts';
import type { StoredCrawl } from './stored-crawl.ts';

/** Offers of several callers that go out together: gathering.ts. */
export interface OfferRound {
  offers: Offer[];
  /** Where the offers of each caller begin. */
  callers: number[];
  verdicts: OfferVerdict[];
  sent: Promise<OfferRun[]>;
}

/** Some groups of one primary. */
export interface OfferRun {
  callers: Set<number>;
  done: Promise<void>;
}

/** An offer as it travels: four texts. */
export type PackedOffer = [host: HostKey, site: string, print: string, entry: string];

/**
 * Links to other groups lie in the outbox of the group that reported them, from the same script as the
 * outcome on, until all their groups have them. A group that does not answer holds up nobody but its own
 * links (F10), and the outbox keeps the crawl from being finished (F9).
 */
export interface Parcel {
  crawl: StoredCrawl;
  group: number;
  /** Its place in the outbox; empty when that answer was lost, and the sweep takes it out. */
  id: string;
  offers: PackedOffer[];
}

/** One round of deliveries at a time for each process, and what waits for the next: outbox.ts. */
export interface DeliveryRounds {
  waiting: { parcels: Parcel[]; done(verdicts: OfferVerdict[][]): void; failed(error: unknown): void }[];
  going: boolean;
}
