import { type DatedClock, isStorageTrouble } from '@webfarer/protocol';
import type { Metrics } from '@webfarer/protocol/metrics';
import type { RegistryDoc } from '../registry/registry.ts';
import type { RegistryWatch, WatchedDocs } from '../registry/watch-registry.ts';
import { type Attempt, type Deliveries, isDelivered } from './deliveries.ts';
import { signedHeaders } from './signature.ts';
import type { Delivery, Webhook } from './webhook.ts';

/** Sends a body to the web, under the rules that hold for every request that leaves. Never rejects. */
export interface WebhookPost {
  post(request: {
    url: string;
    headers: [string, string][];
    content: string;
    signal: AbortSignal;
  }): Promise<Attempt>;
}

export interface WebhookSenderOptions {
  webhooks: WatchedDocs<Webhook>;
  deliveries: Deliveries;
  watch: RegistryWatch;
  post: WebhookPost;
  clock: DatedClock;
  /** Of the software. */
  version: string;
  metrics: Metrics;
  failed: (error: unknown) => void;
}

/** Sends what is due and nobody else sends. */
export interface WebhookSender {
  start(): void;
  /** Something was added. */
  wake(): void;
  stop(): Promise<void>;
}

/** With nothing due: the registry's own news wake it, this is the safety net. */
const IDLE_MS = 5_000;
/** What the store did not take is tried again after this. */
const AGAIN_MS = 2_000;
const CLEAN_EVERY_MS = 3_600_000;
/** At once: a slow receiver must not hold up the others, */
const MOST_AT_ONCE = 16;
/** nor all the receivers of one team those of others. */
const MOST_OF_TEAM = 4;

export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { webhooks, deliveries, watch, clock } = options;
  const stopped = new AbortController();
  const sending = new Map<string, { team: string; done: Promise<void> }>();
  let kick = new AbortController();
  let running: Promise<void> | undefined;
  let cleanedAtMs = Number.NEGATIVE_INFINITY;
  let restUntilMs = Number.NEGATIVE_INFINITY;

  function wake(): void {
    kick.abort();
    kick = new AbortController();
  }

  async function attempt({ value }: RegistryDoc<Delivery>): Promise<Attempt> {
    const webhook = webhooks.docs.get(value.webhook)?.value;
    if (!webhook) return { status: 410, error: 'the webhook was removed' };
    if (!webhook.enabled) return { error: 'the webhook is disabled' };
    const timestamp = Math.floor(clock.wall() / 1_000);
    const headers: [string, string][] = [
      ['content-type', 'application/json'],
      ['user-agent', `Webfarer/${options.version}`],
      ...signedHeaders({ id: value.message, timestamp, body: value.body }, webhook.secret),
    ];
    const { signal } = stopped;
    return await options.post.post({ url: webhook.url, headers, content: value.body, signal });
  }

  async function send(doc: RegistryDoc<Delivery>): Promise<void> {
    const claimed = await deliveries.claim(doc);
    if (!claimed) return;
    const outcome = await attempt(claimed);
    // Cut off by our own end: the claim runs out, and whoever is there sends it again.
    if (stopped.signal.aborted && outcome.status === undefined) return;
    const result = isDelivered(outcome) ? 'delivered' : 'failed';
    options.metrics.count('webfarer_webhook_attempts_total', { result });
    await deliveries.settle(claimed, outcome);
  }

  function begin(doc: RegistryDoc<Delivery>): void {
    const done = send(doc)
      .catch(trouble)
      .then(async () => {
        await watch.look().catch(trouble);
        sending.delete(doc.id);
        wake();
      });
    sending.set(doc.id, { team: teamOf(doc), done });
  }

  const teamOf = ({ value }: RegistryDoc<Delivery>): string =>
    webhooks.docs.get(value.webhook)?.value.team ?? '';

  function hasTurn(doc: RegistryDoc<Delivery>): boolean {
    if (sending.size >= MOST_AT_ONCE) return false;
    const own = [...sending.values()].filter(({ team }) => team === teamOf(doc));
    return own.length < MOST_OF_TEAM;
  }

  /** That of one message is that of all: they are kept in one store. */
  function trouble(error: unknown): void {
    restUntilMs = clock.now() + AGAIN_MS;
    if (!isStorageTrouble(error) && !stopped.signal.aborted) options.failed(error);
  }

  async function clean(): Promise<void> {
    if (clock.now() < cleanedAtMs + CLEAN_EVERY_MS) return;
    cleanedAtMs = clock.now();
    await deliveries.clean(new Set(webhooks.docs.keys())).catch(trouble);
  }

  /** Not by a race with a promise: one that outlives many waits would keep something of each of them. */
  async function rest(event: AbortSignal, ms: number): Promise<void> {
    await clock.sleep(ms, event).catch(() => undefined);
  }

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      const event = kick.signal;
      await clean();
      const restMs = restUntilMs - clock.now();
      const due = restMs > 0 ? [] : deliveries.due().filter(({ id }) => !sending.has(id));
      for (const doc of due) if (hasTurn(doc)) begin(doc);
      const nextMs = restMs > 0 ? restMs : due.length > 0 ? AGAIN_MS : (deliveries.nextMs() ?? IDLE_MS);
      await rest(event, Math.max(50, Math.min(IDLE_MS, nextMs)));
    }
    await Promise.all([...sending.values()].map(({ done }) => done));
  }

  return {
    start() {
      running ??= run();
    },
    wake,
    async stop() {
      stopped.abort();
      wake();
      await running;
    },
  };
}
