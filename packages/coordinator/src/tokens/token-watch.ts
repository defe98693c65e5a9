import type { Clock } from '@webfarer/protocol';
import type { StoredToken, TokenRole, TokenStore } from './tokens.ts';

/** How often a coordinator looks for tokens that came or were revoked. */
const LOOK_MS = 1_500;

/** The tokens that are accepted now, as a coordinator last saw them. */
export interface TokenWatch {
  digests(role: TokenRole): readonly string[];
  stop(): void;
}

/** While the tokens cannot be read, the last known ones stay valid: an unreachable store revokes nothing. */
export async function watchTokens(store: TokenStore, clock: Clock): Promise<TokenWatch> {
  const stopped = new AbortController();
  let accepted: Record<TokenRole, string[]> = { worker: [], operator: [] };

  function take(tokens: StoredToken[]): void {
    const valid = tokens.filter(({ revokedAtMs }) => revokedAtMs === undefined);
    const of = (role: TokenRole) => valid.filter((one) => one.role === role).map(({ digest }) => digest);
    accepted = { worker: of('worker'), operator: of('operator') };
  }

  async function keepLooking(): Promise<void> {
    while (!stopped.signal.aborted) {
      await clock.sleep(LOOK_MS, stopped.signal).catch(() => undefined);
      if (!stopped.signal.aborted) await store.all().then(take, () => undefined);
    }
  }

  take(await store.all());
  void keepLooking();
  return { digests: (role) => accepted[role], stop: () => stopped.abort() };
}
