import { randomUUID } from 'node:crypto';
import { type DatedClock, WebfarerError } from '@webfarer/protocol';
import type { WebhookEventType } from '@webfarer/protocol/api';
import type { Metrics } from '@webfarer/protocol/metrics';
import { parseUrl } from '@webfarer/protocol/url';
import type { Crawl, CrawlEnd } from '../crawl/crawl.ts';
import type { EventBus } from '../events/event-bus.ts';
import type { Registry, RegistryDoc } from '../registry/registry.ts';
import type { RegistryWatch } from '../registry/watch-registry.ts';
import { watchCrawlNews } from './crawl-news.ts';
import { createDeliveries } from './deliveries.ts';
import { newSecret, secretBytes } from './signature.ts';
import type { Delivery, Webhook, WebhookMessage } from './webhook.ts';
import { createWebhookSender, type WebhookPost, type WebhookSender } from './webhook-sender.ts';

export interface WebhooksOptions {
  /** Of this coordinator. */
  id: string;
  /** Of the software. */
  version: string;
  registry: Registry;
  watch: RegistryWatch;
  clock: DatedClock;
  random: () => number;
  /** Undefined: messages wait for a coordinator that has one. */
  post: WebhookPost | undefined;
  events: Pick<EventBus, 'listen'>;
  metrics: Metrics;
  crawl: (id: string) => Crawl | undefined;
  failed: (error: unknown) => void;
}

export type WebhookDoc = RegistryDoc<Webhook>;

/** Messages to programs of operators: what is registered, and what was sent. */
export interface Webhooks {
  start(): void;
  stop(): Promise<void>;
  /** A crawl is over: once this resolves, no crash keeps its messages from being sent. Rejects where the store is in trouble. */
  ended(end: CrawlEnd, run: string): Promise<void>;
  all(): WebhookDoc[];
  get(id: string): WebhookDoc | undefined;
  create(webhook: Omit<Webhook, 'secret'> & { secret: string | undefined }): Promise<WebhookDoc>;
  /** `version`: only if it still has that one. */
  edit(id: string, changes: Partial<Webhook>, version: number | undefined): Promise<WebhookDoc>;
  /** With a new secret. */
  rotate(id: string): Promise<WebhookDoc>;
  remove(id: string): Promise<void>;
  /** Answers the id of the message. */
  test(id: string): Promise<string>;
  deliveries(id: string): Delivery[];
  retry(id: string, message: string): Promise<Delivery>;
}

const noSender: WebhookSender = {
  start: () => undefined,
  wake: () => undefined,
  stop: () => Promise.resolve(),
};

const kind = 'webhook';

export async function openWebhooks(options: WebhooksOptions): Promise<Webhooks> {
  const { registry, watch, clock } = options;
  const webhooks = await watch.follow<Webhook>(kind, () => sender.wake());
  const docs = await watch.follow<Delivery>('webhook-delivery', () => sender.wake());
  const deliveries = createDeliveries({ ...options, docs });
  const sender = options.post
    ? createWebhookSender({ ...options, post: options.post, webhooks, deliveries })
    : noSender;

  const all = () => [...webhooks.docs.values()];
  const wants = ({ value }: WebhookDoc, type: WebhookEventType) =>
    value.enabled && value.events.includes(type);

  async function tell({ team, id, message }: { team: string; id: string; message: WebhookMessage }) {
    for (const doc of all()) {
      const mayHear = doc.value.team === '' || doc.value.team === team;
      if (mayHear && wants(doc, message.type as WebhookEventType)) await deliveries.add(doc.id, id, message);
    }
    await watch.look().catch(() => undefined);
  }

  const news = watchCrawlNews({
    ...options,
    wanted: (type) => all().some((doc) => wants(doc, type)),
    tell,
  });

  async function put(id: string, version: number, value: Webhook): Promise<WebhookDoc> {
    const answer = await registry.put(kind, id, version, value);
    if (answer.kind === 'stale') throw changedMeanwhile(id);
    await watch.look();
    return answer.doc as WebhookDoc;
  }

  async function edit(
    id: string,
    changes: Partial<Webhook>,
    version: number | undefined,
  ): Promise<WebhookDoc> {
    const doc = (await registry.get(kind, id)) as WebhookDoc | undefined;
    if (!doc) throw noWebhook(id);
    if (version !== undefined && version !== doc.version) throw changedMeanwhile(id);
    if (changes.url !== undefined) checkUrl(changes.url);
    return await put(id, doc.version, { ...doc.value, ...changes });
  }

  return {
    all,
    get: (id) => webhooks.docs.get(id),
    edit,
    start: () => sender.start(),
    ended: (end, run) => news.ended(end, run),
    async stop() {
      await news.stop();
      await sender.stop();
    },
    async create({ secret = newSecret(), ...webhook }) {
      secretBytes(secret);
      checkUrl(webhook.url);
      return await put(`wh_${randomUUID()}`, 0, { ...webhook, secret });
    },
    rotate: (id) => edit(id, { secret: newSecret() }, undefined),
    async remove(id) {
      const doc = await registry.get(kind, id);
      if (!doc) throw noWebhook(id);
      const answer = await registry.remove(kind, id, doc.version);
      if (answer.kind === 'stale') throw changedMeanwhile(id);
      await watch.look();
      await deliveries.clean(new Set(webhooks.docs.keys()));
    },
    async test(id) {
      if (!webhooks.docs.has(id)) throw noWebhook(id);
      const message = `msg_${randomUUID()}`;
      const timestamp = new Date(clock.wall()).toISOString();
      await deliveries.add(id, message, { type: 'webhook.test', timestamp, data: {} });
      await watch.look();
      return message;
    },
    deliveries: (id) => deliveries.of(id),
    async retry(id, message) {
      const again = await deliveries.retry(id, message);
      await watch.look();
      return again;
    },
  };
}

/** Passwords have no place in it: it is shown. */
function checkUrl(url: string): void {
  const parsed = parseUrl(url);
  if (parsed && /^https?:$/.test(parsed.protocol) && parsed.username === '' && parsed.password === '') return;
  throw new WebfarerError('usage', 'the address of a webhook is malformed', {
    next: 'Use an http or https URL without a password.',
  });
}

export function noWebhook(id: string): WebfarerError {
  return new WebfarerError('not-found', `there is no webhook ${id}`, {
    next: 'GET /v1/webhooks lists the webhooks there are.',
  });
}

function changedMeanwhile(id: string): WebfarerError {
  return new WebfarerError('conflict', `the webhook ${id} was changed meanwhile`, {
    next: 'Read it again, then repeat the change with its version.',
  });
}
