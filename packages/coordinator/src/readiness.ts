import type { Clock, Stall, StallCause } from '@webfarer/protocol';
import { acknowledges, stallCauses } from '@webfarer/protocol/crawl';
import type { Readiness } from './api/http/app.ts';
import type { CoordinatorParts } from './coordinator-parts.ts';
import type { Crawl } from './crawl/crawl.ts';
import { slowStore } from './redis/store-watch.ts';
import { rejectedPassword } from './redis/wire/sign-in.ts';

export interface ReadinessOptions {
  /** Undefined: starting up. */
  parts: () => Pick<CoordinatorParts, 'joined' | 'crawls'> | undefined;
  clock: Clock;
}

const SIGN_IN_REFUSED = 'the store does not accept the password of this coordinator';
/** A crawl that does not say within this time what it waits for waits for its store. */
const PATIENCE_MS = 3_000;

/** What a crawl waits for is told beside whether the coordinator is ready. Anybody may ask: no names of hosts. */
export function createReadiness({ parts, clock }: ReadinessOptions): () => Promise<Readiness> {
  let asking: Promise<string | undefined> | undefined;

  /** Why the store does not serve this coordinator now, asked on a new connection; all who ask at once share it. */
  async function storeRefusal(joined: CoordinatorParts['joined']): Promise<string | undefined> {
    asking ??= joined
      ?.askAfresh()
      .then(
        () => undefined,
        ({ message }: Error) => (rejectedPassword(message) === undefined ? silence(joined) : SIGN_IN_REFUSED),
      )
      .finally(() => {
        asking = undefined;
      });
    return await asking;
  }

  return async () => {
    const opened = parts();
    if (!opened)
      return { ready: false, acknowledges: false, cause: 'starting', reason: stallCauses.starting.meaning };
    const { joined } = opened;
    const because = (cause: StallCause) => ({
      cause,
      reason: cause === 'store' ? silence(joined) : stallCauses[cause].meaning,
    });
    const refusal = await storeRefusal(joined);
    if (refusal !== undefined) return { ready: false, acknowledges: false, cause: 'store', reason: refusal };
    const stalls = await Promise.all(opened.crawls().map(stallWithin(clock)));
    const worst =
      joined?.watch.trouble ?? stalls.find((stall) => stall && !acknowledges(stall)) ?? stalls.find(Boolean);
    if (!worst) return { ready: true, acknowledges: true };
    return { ready: true, acknowledges: acknowledges(worst), ...because(worst.cause) };
  };
}

/** A store that answers other calls is slow, or lacks a shard. The text of any other trouble may name addresses. */
function silence(joined: CoordinatorParts['joined']): string {
  return joined?.watch.trouble === slowStore ? slowStore.text : stallCauses.store.meaning;
}

function stallWithin(clock: Clock): (crawl: Crawl) => Promise<Pick<Stall, 'cause'> | undefined> {
  return async (crawl) => {
    const patience = new AbortController();
    const late = clock.sleep(PATIENCE_MS, patience.signal).then(() => ({ cause: 'store' }) as const);
    late.catch(() => undefined);
    const seen = crawl.calmSnapshot().then(({ stall }) => stall);
    try {
      return await Promise.race([seen, late]);
    } catch {
      return { cause: 'store' };
    } finally {
      patience.abort();
    }
  };
}
