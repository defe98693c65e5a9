import { createHash } from 'node:crypto';
import type { WebhookEventType } from '@webfarer/protocol/api';

/** A document of the registry: where messages are sent, and about what. */
export interface Webhook {
  url: string;
  /** `whsec_` and base64, as Standard Webhooks writes it. Never leaves the coordinator again. */
  secret: string;
  events: WebhookEventType[];
  /** Crawls of one team; empty: of all. */
  team: string;
  enabled: boolean;
}

/** What happened, as the receiver reads it. */
export interface WebhookMessage {
  type: WebhookEventType | 'webhook.test';
  /** ISO 8601. */
  timestamp: string;
  data: Record<string, unknown>;
}

/** A document of the registry: one message to one webhook. */
export interface Delivery {
  webhook: string;
  /** Stays the same over all attempts and coordinators: a receiver that knows it has had the message. */
  message: string;
  type: WebhookMessage['type'];
  /** The body, byte for byte; '' once it was delivered. */
  body: string;
  createdAtMs: number;
  state: 'pending' | 'delivered' | 'dead';
  attempts: number;
  /** When it is sent next. */
  dueAtMs: number;
  /** The coordinator that sends it now, and until when the others wait for it. */
  claim?: { by: string; untilMs: number } | undefined;
  /** What became of the last attempt. */
  last?: { atMs: number; status?: number | undefined; error?: string | undefined } | undefined;
}

/** The same event seen by several coordinators, or again after a restart, is the same message. */
export function messageId(...facts: readonly (string | number)[]): string {
  const digest = createHash('sha256').update(JSON.stringify(facts)).digest('base64url');
  return `msg_${digest.slice(0, 27)}`;
}

export function deliveryId(webhook: string, message: string): string {
  return `${webhook}.${message}`;
}
