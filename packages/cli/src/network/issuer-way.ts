import type { IssuerWay } from '@webfarer/coordinator';
import type { DatedClock, Url } from '@webfarer/protocol';
import { originOf, parseUrl } from '@webfarer/protocol/url';
import { createEgress } from '@webfarer/worker';

/** A browser waits for each of these answers. */
const TIMEOUT_MS = 10_000;
/** Keys and claims of a provider are a few kilobytes. */
const MAX_BYTES = 1_048_576;

/**
 * Requests to an OpenID provider leave through an egress as pages do. The provider itself may have a private address:
 * the operator named it. What its documents point to may not, unless it is on the same origin.
 */
export function openIssuerWay(clock: DatedClock, issuer: string): IssuerWay & { close(): Promise<void> } {
  const egress = createEgress({ clock });
  const origin = originOf((parseUrl(issuer)?.href ?? '') as Url);
  const allowPrivate = [origin];
  return {
    async ask({ method, url, headers, content }) {
      const parsed = parseUrl(url);
      if (!parsed) return { error: 'the address is malformed' };
      const request = {
        url: parsed.href as Url,
        headers: [...headers, ['accept-encoding', 'identity']] as [string, string][],
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
        allowPrivate,
        signal: new AbortController().signal,
      };
      if (method === 'POST') {
        const answer = await egress.post({ ...request, content });
        if (!answer.ok) return { error: `${answer.reason}: ${answer.detail}` };
        const { status, headers: given, body, truncated } = answer;
        return truncated
          ? { error: `the answer was cut off (${truncated})` }
          : { status, headers: given, body };
      }
      const session = egress.open(parsed.hostname);
      const answer = await session.fetch({ ...request, method: 'GET', maxDecodedBytes: MAX_BYTES });
      session.close();
      if (!answer.ok) return { error: `${answer.reason}: ${answer.detail}` };
      const { status, headers: given, truncated } = answer;
      const body = Uint8Array.from(answer.body);
      answer.release();
      return truncated
        ? { error: `the answer was cut off (${truncated})` }
        : { status, headers: given, body };
    },
    close: () => egress.close(),
  };
}
