import type { ApiDelivery, ApiWebhook, webhookRoutes } from '@webfarer/protocol/api';
import { defaultTeam } from '@webfarer/protocol/job';
import type { Delivery } from '../../webhooks/webhook.ts';
import { noWebhook, type WebhookDoc } from '../../webhooks/webhooks.ts';
import type { ApiParts } from '../call/api-parts.ts';
import type { HandlersOf, Principal } from '../call/call.ts';
import { requireRoom } from '../../teams/own-documents.ts';

/** Webhooks of a team hear of its crawls; those of an admin hear of all. */
export function webhookHandlers({ webhooks }: ApiParts): HandlersOf<typeof webhookRoutes> {
  const isOwn = (principal: Principal, { value }: WebhookDoc) =>
    principal.scope === 'admin' || value.team === teamIn(principal);

  /** Those of other teams are not there. */
  function find(principal: Principal, id: string): WebhookDoc {
    const doc = webhooks.get(id);
    if (doc && isOwn(principal, doc)) return doc;
    throw noWebhook(id);
  }

  function shown({ id, version, changedAtMs, value: { url, events, enabled } }: WebhookDoc): ApiWebhook {
    const states = webhooks.deliveries(id).map(({ state }) => state);
    const pending = states.filter((state) => state === 'pending').length;
    const dead = states.filter((state) => state === 'dead').length;
    return { id, url, events, enabled, version, changedAtMs, pending, dead };
  }

  return {
    listWebhooks({ principal, query: { after, limit } }) {
      const own = webhooks
        .all()
        .filter((doc) => isOwn(principal, doc))
        .sort((a, b) => (a.id < b.id ? -1 : 1));
      return page(own, { after, limit, id: ({ id }) => id, show: shown, from: (doc) => doc.id > after });
    },
    async createWebhook({ principal, body: { url, events, secret, enabled } }) {
      const team = principal.scope === 'admin' && principal.team === '' ? '' : teamIn(principal);
      const own = webhooks.all().filter(({ value }) => value.team === team);
      await requireRoom('webhook', principal, own);
      const doc = await webhooks.create({ url, events: [...new Set(events)], secret, enabled, team });
      return { ...shown(doc), secret: doc.value.secret };
    },
    getWebhook: ({ principal, params }) => shown(find(principal, params.webhook)),
    async editWebhook({ principal, params, body: { version, url, events, enabled } }) {
      const { id } = find(principal, params.webhook);
      const changes = {
        ...(url === undefined ? {} : { url }),
        ...(events === undefined ? {} : { events: [...new Set(events)] }),
        ...(enabled === undefined ? {} : { enabled }),
      };
      return shown(await webhooks.edit(id, changes, version));
    },
    async deleteWebhook({ principal, params }) {
      await webhooks.remove(find(principal, params.webhook).id);
      return undefined;
    },
    async rotateWebhookSecret({ principal, params }) {
      const doc = await webhooks.rotate(find(principal, params.webhook).id);
      return { ...shown(doc), secret: doc.value.secret };
    },
    testWebhook: async ({ principal, params }) => ({
      message: await webhooks.test(find(principal, params.webhook).id),
    }),
    listDeliveries({ principal, params, query: { after, limit, state } }) {
      const { id } = find(principal, params.webhook);
      const wanted = webhooks.deliveries(id).filter((one) => state === undefined || one.state === state);
      const start = wanted.findIndex(({ message }) => message === after) + 1;
      const rest = wanted.slice(start);
      return page(rest, {
        after,
        limit,
        id: ({ message }) => message,
        show: shownDelivery,
        from: () => true,
      });
    },
    retryDelivery: async ({ principal, params }) =>
      shownDelivery(await webhooks.retry(find(principal, params.webhook).id, params.message)),
  };
}

const teamIn = ({ team }: Principal) => team || defaultTeam;

interface PageOptions<T, Shown> {
  after: string;
  limit: number;
  id: (one: T) => string;
  from: (one: T) => boolean;
  show: (one: T) => Shown;
}

function page<T, Shown>(list: T[], { limit, id, from, show }: PageOptions<T, Shown>) {
  const rest = list.filter(from);
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  const next = rest.length > limit && last !== undefined ? { next: id(last) } : {};
  return { items: items.map(show), ...next };
}

function shownDelivery({
  message,
  type,
  state,
  attempts,
  createdAtMs,
  dueAtMs,
  last,
}: Delivery): ApiDelivery {
  return {
    message,
    type,
    state,
    attempts,
    createdAtMs,
    ...(state === 'pending' ? { dueAtMs } : {}),
    ...(last ? { last } : {}),
  };
}
