import type { WebhookPost } from '@webfarer/coordinator';
import type { DatedClock, Url } from '@webfarer/protocol';
import { parseUrl } from '@webfarer/protocol/url';
import { createEgress } from '@webfarer/worker';

/** A receiver that takes longer is tried again later. */
const TIMEOUT_MS = 15_000;

/** Told apart, these would show an operator of a team which names the coordinator's network has, and their addresses. */
const hidden: ReadonlySet<string> = new Set(['private-address', 'dns-not-found']);

/** A failed attempt, as those who see the webhook are told of it. */
export function toldOf({ reason, detail }: { reason: string; detail: string }): string {
  return hidden.has(reason)
    ? 'the receiver has no address that is globally reachable'
    : `${reason}: ${detail}`;
}

/** Webhooks leave through an egress as pages do: a private address is refused unless it is named here. */
export function openWebhookPost(
  clock: DatedClock,
  allowPrivate: readonly string[],
): WebhookPost & { close(): Promise<void> } {
  const egress = createEgress({ clock });
  return {
    async post({ url, headers, content, signal }) {
      const parsed = parseUrl(url);
      if (!parsed) return { error: 'the address is malformed' };
      const request = {
        url: parsed.href as Url,
        headers,
        content,
        timeoutMs: TIMEOUT_MS,
        allowPrivate,
        // What a receiver says beside its status is of no use.
        maxBytes: 0,
        signal,
      };
      const answer = await egress.post(request);
      return answer.ok ? { status: answer.status } : { error: toldOf(answer) };
    },
    close: () => egress.close(),
  };
}
