import { type DatedClock, WebfarerError } from '@webfarer/protocol';
import type { Registry, RegistryDoc } from '../registry/registry.ts';
import type { WatchedDocs } from '../registry/watch-registry.ts';
import { type Delivery, deliveryId, type WebhookMessage } from './webhook.ts';

/** How long after each failed attempt the next one is made: for about 28 hours in all. */
export const retryAfterMs: readonly number[] = [
  5_000, 60_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000,
];
/** Others leave a delivery alone for this long: longer than one attempt takes. */
const CLAIM_MS = 60_000;
/** Deliveries that are over are kept for so long: by them an event that comes again is known. */
const KEPT_MS = 30 * 86_400_000;
/** And so many of one webhook. */
const MOST_KEPT = 1_000;

export interface DeliveriesOptions {
  /** Of this coordinator. */
  id: string;
  registry: Registry;
  docs: WatchedDocs<Delivery>;
  clock: DatedClock;
  random: () => number;
}

/** What became of an attempt. */
export interface Attempt {
  status?: number | undefined;
  error?: string | undefined;
}

/** The receiver has it. */
export function isDelivered({ status }: Attempt): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

type DeliveryDoc = RegistryDoc<Delivery>;

/** The messages of all webhooks, in the registry. Each method is one transition; the loser of a race gets undefined. */
export interface Deliveries {
  /** Once for each message, whoever sees the event. */
  add(webhook: string, id: string, message: WebhookMessage): Promise<void>;
  /** Those that are to be sent now and nobody sends. */
  due(): DeliveryDoc[];
  /** When the next one is due; undefined: none waits. */
  nextMs(): number | undefined;
  claim(doc: DeliveryDoc): Promise<DeliveryDoc | undefined>;
  settle(doc: DeliveryDoc, attempt: Attempt): Promise<void>;
  /** Sends one again that is over, from the first attempt on. */
  retry(webhook: string, message: string): Promise<Delivery>;
  of(webhook: string): Delivery[];
  /** Removes what is kept for too long, or of a webhook that is gone. */
  clean(webhooks: ReadonlySet<string>): Promise<void>;
}

export function createDeliveries({ id: own, registry, docs, clock, random }: DeliveriesOptions): Deliveries {
  const kind = 'webhook-delivery';

  async function put(doc: DeliveryDoc, value: Delivery): Promise<DeliveryDoc | undefined> {
    const answer = await registry.put(kind, doc.id, doc.version, value);
    return answer.kind === 'changed' ? (answer.doc as DeliveryDoc) : undefined;
  }

  const all = () => [...docs.docs.values()];
  /** From when on somebody may send it. */
  const freeAtMs = ({ dueAtMs, claim }: Delivery) => Math.max(dueAtMs, claim?.untilMs ?? 0);

  function afterFailure(value: Delivery, attempt: Attempt): Delivery {
    const attempts = value.attempts + 1;
    const waitMs = attempt.status === 410 ? undefined : retryAfterMs[value.attempts];
    const rest = {
      ...value,
      attempts,
      claim: undefined,
      last: { atMs: Math.round(clock.wall()), ...attempt },
    };
    if (waitMs === undefined) return { ...rest, state: 'dead' };
    // Not all of them at once after an outage.
    return { ...rest, dueAtMs: Math.round(clock.wall() + waitMs * (0.8 + 0.4 * random())) };
  }

  return {
    async add(webhook, message, { type, ...rest }) {
      const value: Delivery = {
        webhook,
        message,
        type,
        body: JSON.stringify({ type, ...rest }),
        createdAtMs: Math.round(clock.wall()),
        state: 'pending',
        attempts: 0,
        dueAtMs: Math.round(clock.wall()),
      };
      // Another coordinator may have been first: then it is there, and that is all that is wanted.
      await registry.put(kind, deliveryId(webhook, message), 0, value);
    },
    due: () => all().filter(({ value }) => value.state === 'pending' && freeAtMs(value) <= clock.wall()),
    nextMs() {
      const pending = all().filter(({ value }) => value.state === 'pending');
      if (pending.length === 0) return undefined;
      return Math.max(0, Math.min(...pending.map(({ value }) => freeAtMs(value))) - clock.wall());
    },
    claim: (doc) => put(doc, { ...doc.value, claim: { by: own, untilMs: clock.wall() + CLAIM_MS } }),
    async settle(doc, attempt) {
      const { value } = doc;
      const delivered: Delivery = {
        ...value,
        attempts: value.attempts + 1,
        state: 'delivered',
        body: '',
        claim: undefined,
        last: { atMs: Math.round(clock.wall()), ...attempt },
      };
      await put(doc, isDelivered(attempt) ? delivered : afterFailure(value, attempt));
    },
    async retry(webhook, message) {
      const doc = (await registry.get(kind, deliveryId(webhook, message))) as DeliveryDoc | undefined;
      if (!doc)
        throw new WebfarerError('not-found', `the webhook ${webhook} has no message ${message}`, {
          next: `GET /v1/webhooks/${webhook}/deliveries lists its messages.`,
        });
      if (doc.value.state !== 'dead')
        throw new WebfarerError('conflict', `the message ${message} is ${doc.value.state}`, {
          next: 'Only a message that was given up can be sent again.',
        });
      const again: Delivery = {
        ...doc.value,
        state: 'pending',
        attempts: 0,
        dueAtMs: Math.round(clock.wall()),
      };
      const done = await put(doc, again);
      if (done) return done.value;
      throw new WebfarerError('conflict', `the message ${message} was changed at the same time`, {
        next: 'Try again.',
      });
    },
    of: (webhook) =>
      all()
        .map(({ value }) => value)
        .filter((value) => value.webhook === webhook)
        .sort((a, b) => b.createdAtMs - a.createdAtMs || (a.message < b.message ? -1 : 1)),
    async clean(webhooks) {
      const kept = new Map<string, number>();
      const newestFirst = all().sort((a, b) => b.value.createdAtMs - a.value.createdAtMs);
      for (const doc of newestFirst) {
        const { webhook, state, createdAtMs } = doc.value;
        const count = (kept.get(webhook) ?? 0) + 1;
        kept.set(webhook, count);
        const isOver = state !== 'pending' && (createdAtMs < clock.wall() - KEPT_MS || count > MOST_KEPT);
        if (isOver || !webhooks.has(webhook)) await registry.remove(kind, doc.id, doc.version);
      }
    },
  };
}
