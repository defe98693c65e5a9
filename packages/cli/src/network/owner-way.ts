import type { OwnerWay } from '@webfarer/coordinator/server';
import type { DatedClock, Url } from '@webfarer/protocol';
import { parseUrl } from '@webfarer/protocol/url';
import { createEgress } from '@webfarer/worker';

/** As long and as much as robots.txt may have. */
const TIMEOUT_MS = 15_000;
const MOST_BYTES = 524_288;

/** Reads the token of a site's owner through an egress as pages are read: resolved, checked, connected and checked again. */
export function openOwnerWay(clock: DatedClock): OwnerWay & { close(): Promise<void> } {
  const egress = createEgress({ clock });
  return {
    async read({ url, userAgent, allowPrivate, signal }) {
      const parsed = parseUrl(url);
      if (!parsed) return undefined;
      const session = egress.open(parsed.hostname);
      try {
        const page = await session.fetch({
          url: parsed.href as Url,
          method: 'GET',
          headers: [
            ['User-Agent', userAgent],
            ['Accept', 'text/plain'],
          ],
          timeoutMs: TIMEOUT_MS,
          maxBytes: MOST_BYTES,
          maxDecodedBytes: MOST_BYTES,
          allowPrivate,
          signal,
        });
        if (!page.ok) return undefined;
        const text = page.body.toString('utf8');
        page.release();
        return { status: page.status, text };
      } finally {
        session.close();
      }
    },
    close: () => egress.close(),
  };
}
