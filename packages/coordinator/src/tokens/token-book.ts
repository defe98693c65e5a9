import type { DatedClock } from '@webfarer/protocol';
import type { ApiScope } from '@webfarer/protocol/api';
import type { Registry, RegistryDoc } from '../registry/registry.ts';
import type { RegistryWatch } from '../registry/watch-registry.ts';
import type { TokenDoc, TokenSecret } from './token-documents.ts';
import { isSameDigest, type LinkTokens } from './tokens.ts';

/** Who holds a token. */
export interface TokenHolder {
  /** Of the token. */
  id: string;
  scope: ApiScope;
  team: string;
}

/** Which tokens are accepted now. */
export interface TokenBook extends LinkTokens {
  /** Undefined: the token is unknown, expired or revoked. */
  holderOf(digest: string): TokenHolder | undefined;
}

export interface TokenBookOptions {
  registry: Registry;
  watch: RegistryWatch;
  clock: Pick<DatedClock, 'wall'>;
}

/** How far the time of last use may be behind: a token costs at most one write in this time. */
const USED_MS = 3_600_000;
/** Tokens are found by the beginning of their digest, and compared whole in constant time. */
const PREFIX_CHARS = 8;

interface Accepted {
  doc: RegistryDoc<TokenDoc>;
  secret: TokenSecret;
}

/**
 * The tokens of the registry as this coordinator last saw them, at most two seconds ago. While the store is
 * unreachable, what was last seen holds: an unreachable store neither admits nor revokes anyone.
 */
export async function openTokenBook({ registry, watch, clock }: TokenBookOptions): Promise<TokenBook> {
  let byPrefix = new Map<string, Accepted[]>();
  const usedAtMs = new Map<string, number>();
  const { docs } = await watch.follow<TokenDoc>('token', index);

  function index(): void {
    const all = [...docs.values()].flatMap((doc) =>
      doc.value.revokedAtMs === undefined ? doc.value.secrets.map((secret) => ({ doc, secret })) : [],
    );
    byPrefix = Map.groupBy(all, ({ secret }) => secret.digest.slice(0, PREFIX_CHARS));
  }

  function holderOf(digest: string): TokenHolder | undefined {
    const nowMs = clock.wall();
    const near = byPrefix.get(digest.slice(0, PREFIX_CHARS)) ?? [];
    const found = near.find(({ secret }) => isSameDigest(digest, secret.digest));
    if (!found) return undefined;
    const { id, value } = found.doc;
    const endsAtMs = Math.min(found.secret.endsAtMs ?? Infinity, value.expiresAtMs ?? Infinity);
    if (endsAtMs <= nowMs) return undefined;
    noteUse(found.doc, nowMs);
    return { id, scope: value.scope, team: value.team };
  }

  /** Beside the request: whether it is kept decides nothing. A document that has changed meanwhile is left alone. */
  function noteUse({ id, version, value }: RegistryDoc<TokenDoc>, nowMs: number): void {
    const last = Math.max(value.lastUsedAtMs ?? 0, usedAtMs.get(id) ?? 0);
    if (nowMs - last < USED_MS) return;
    const lastUsedAtMs = Math.round(nowMs);
    usedAtMs.set(id, lastUsedAtMs);
    registry.put('token', id, version, { ...value, lastUsedAtMs }).catch(() => undefined);
  }

  index();
  return {
    holderOf,
    trustOf: (digest) => (holderOf(digest)?.scope === 'worker' ? 'own' : undefined),
  };
}
