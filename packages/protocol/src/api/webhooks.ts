import { z } from 'zod';
import { pageOf, paging, route } from './route.ts';

const family = 'webhooks';

/** What a webhook can hear of. */
export const webhookEvents = {
  'crawl.finished': 'A crawl has fetched all it found.',
  'crawl.limited': 'A crawl has reached a limit of its job.',
  'crawl.trouble':
    'A crawl has paused by itself for 30 seconds; at most one message per cause in 10 minutes.',
  'crawl.threshold-missed': 'A crawl has ended and missed a threshold of its job.',
  'crawl.changed': 'A recrawl has ended and found new or changed pages.',
} as const;
export type WebhookEventType = keyof typeof webhookEvents;

const eventType = z.enum(Object.keys(webhookEvents) as [WebhookEventType]);
const url = z
  .string()
  .max(2_048)
  .regex(/^https?:\/\/[^\s@]+$/)
  .describe(
    'Where messages are sent (POST). Private addresses are refused unless the coordinator allows them',
  );
const secret = z.string().max(200).describe('whsec_ and 24 to 64 random bytes as base64. Never shown again');
const params = z.strictObject({ webhook: z.string().min(1).max(100).describe('The id of the webhook') });

const webhook = z
  .object({
    id: z.string(),
    url: z.string(),
    events: z.array(eventType),
    enabled: z.boolean(),
    version: z.int().describe('Changes with every change of the webhook'),
    changedAtMs: z.int(),
    pending: z.int().describe('Messages that wait to be sent, or sent again'),
    dead: z.int().describe('Messages that were given up'),
  })
  .meta({ id: 'Webhook' });
export type ApiWebhook = z.infer<typeof webhook>;

const withSecret = webhook
  .extend({ secret: z.string().describe('Keep it: this is the only answer that shows it') })
  .meta({ id: 'WebhookWithSecret' });

const delivery = z
  .object({
    message: z.string().describe('The webhook-id header of every attempt'),
    type: z.string(),
    state: z.enum(['pending', 'delivered', 'dead']),
    attempts: z.int(),
    createdAtMs: z.int(),
    dueAtMs: z.int().optional().describe('When the next attempt is made'),
    last: z
      .object({ atMs: z.int(), status: z.int().optional(), error: z.string().optional() })
      .optional()
      .describe('The last attempt'),
  })
  .meta({ id: 'WebhookDelivery' });
export type ApiDelivery = z.infer<typeof delivery>;

const shown = { kind: 'json', status: 200, schema: webhook } as const;

export const webhookRoutes = {
  listWebhooks: route({
    method: 'GET',
    path: '/v1/webhooks',
    scope: 'operator',
    family,
    summary: 'List the webhooks, without their secrets',
    query: z.strictObject(paging),
    answer: { kind: 'json', status: 200, schema: pageOf(webhook).meta({ id: 'WebhookPage' }) },
  }),
  createWebhook: route({
    method: 'POST',
    path: '/v1/webhooks',
    scope: 'operator',
    family,
    summary: 'Create a webhook; the answer is the only one that shows its secret',
    body: z.strictObject({
      url,
      events: z.array(eventType).min(1).max(20),
      secret: secret.optional().describe('Made where it is left out'),
      enabled: z.boolean().default(true),
    }),
    refusals: ['quota'],
    answer: { kind: 'json', status: 201, schema: withSecret },
  }),
  getWebhook: route({
    method: 'GET',
    path: '/v1/webhooks/{webhook}',
    scope: 'operator',
    family,
    summary: 'Show a webhook, without its secret',
    params,
    answer: shown,
  }),
  editWebhook: route({
    method: 'PATCH',
    path: '/v1/webhooks/{webhook}',
    scope: 'operator',
    family,
    summary: 'Change where a webhook sends, what it hears of, or whether it is enabled',
    params,
    body: z.strictObject({
      url: url.optional(),
      events: z.array(eventType).min(1).max(20).optional(),
      enabled: z.boolean().optional(),
      version: z
        .int()
        .optional()
        .describe('Only if the webhook still has this version; else the answer is 409'),
    }),
    answer: shown,
  }),
  deleteWebhook: route({
    method: 'DELETE',
    path: '/v1/webhooks/{webhook}',
    scope: 'operator',
    family,
    summary: 'Delete a webhook with its messages',
    params,
    answer: { kind: 'none' },
  }),
  rotateWebhookSecret: route({
    method: 'POST',
    path: '/v1/webhooks/{webhook}/rotate',
    scope: 'operator',
    family,
    summary: 'Replace the secret of a webhook; the answer is the only one that shows the new one',
    params,
    answer: { kind: 'json', status: 200, schema: withSecret },
  }),
  testWebhook: route({
    method: 'POST',
    path: '/v1/webhooks/{webhook}/test',
    scope: 'operator',
    family,
    summary: 'Send a message of the type webhook.test',
    params,
    answer: {
      kind: 'json',
      status: 202,
      schema: z.object({ message: z.string().describe('Its webhook-id') }).meta({ id: 'WebhookTest' }),
    },
  }),
  listDeliveries: route({
    method: 'GET',
    path: '/v1/webhooks/{webhook}/deliveries',
    scope: 'operator',
    family,
    summary: 'List the messages of a webhook, the newest first',
    params,
    query: z.strictObject({
      ...paging,
      state: z.enum(['pending', 'delivered', 'dead']).optional(),
    }),
    answer: { kind: 'json', status: 200, schema: pageOf(delivery).meta({ id: 'WebhookDeliveryPage' }) },
  }),
  retryDelivery: route({
    method: 'POST',
    path: '/v1/webhooks/{webhook}/deliveries/{message}/retry',
    scope: 'operator',
    family,
    summary: 'Send a message again that was given up',
    params: params.extend({ message: z.string().min(1).max(100).describe('Its webhook-id') }),
    answer: { kind: 'json', status: 202, schema: delivery },
  }),
};
