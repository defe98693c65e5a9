import { randomBytes } from 'node:crypto';
import type { DatedClock } from '@webfarer/protocol';
import { defaultTeam } from '@webfarer/protocol/job';
import { isSameDigest, newToken, newTokenId, tokenDigest } from '../tokens/tokens.ts';
import type { TokenHolder } from '../tokens/token-book.ts';

/**
 * How the person at this machine logs in to a console that serves nobody else: with a link that holds a code. The code is
 * good for one browser and a short while; what the browser gets for it lives as long as this process. Nothing is written
 * to disk.
 */
export interface OneTimeLinks {
  /** A code for a new link. The ones before it are void. */
  issue(): string;
  /** The token for a code; undefined: it is unknown, was used, or is too old. */
  redeem(code: string): string | undefined;
  /** Who holds a token that was given out here. */
  holderOf(digest: string): TokenHolder | undefined;
  /** Called when a code was exchanged. */
  onRedeemed(call: () => void): void;
}

/** Time enough to copy a link from a terminal to a browser. */
export const linkLifetimeMs = 90_000;
const CODE_BYTES = 18;

export function createOneTimeLinks(clock: Pick<DatedClock, 'wall'>): OneTimeLinks {
  let current: { digest: string; endsAtMs: number } | undefined;
  const holders = new Map<string, TokenHolder>();
  const calls: (() => void)[] = [];
  return {
    issue() {
      const code = randomBytes(CODE_BYTES).toString('base64url');
      current = { digest: tokenDigest(code), endsAtMs: clock.wall() + linkLifetimeMs };
      return code;
    },
    redeem(code) {
      if (!current || !isSameDigest(tokenDigest(code), current.digest)) return undefined;
      const isTooOld = current.endsAtMs <= clock.wall();
      current = undefined;
      if (isTooOld) return undefined;
      const id = newTokenId();
      const token = newToken(id);
      // Not an admin: a page that got hold of the token could neither run code of the machine nor make more tokens.
      holders.set(tokenDigest(token), { id, scope: 'operator', team: defaultTeam });
      for (const call of calls) call();
      return token;
    },
    holderOf: (digest) => holders.get(digest),
    onRedeemed: (call) => void calls.push(call),
  };
}
