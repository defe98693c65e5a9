import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Trust } from '@webfarer/protocol/link';

export const tokenRoles = ['worker', 'operator'] as const;
export type TokenRole = (typeof tokenRoles)[number];

/** A token as it is stored: by what it was made into, never as it is. */
export interface StoredToken {
  /** The first eight digits of the digest. */
  id: string;
  role: TokenRole;
  digest: string;
  createdAtMs: number;
  /** Where it was made. */
  note: string;
  /** Revoked tokens stay listed, so that no coordinator stores one again. */
  revokedAtMs?: number;
}

/** Where the tokens of a network are kept: in its store, or in the folder of its only coordinator. */
export interface TokenStore {
  all(): Promise<StoredToken[]>;
  /** In place of the one with the same id, if there is one. */
  put(token: StoredToken): Promise<void>;
}

/** Digests of the tokens that are accepted, by how far those who have them are trusted. */
export interface LinkTokens {
  own: readonly string[];
  volunteer: readonly string[];
}

const TOKEN_BYTES = 32;

export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Tokens are random, so a plain digest tells nobody what they are. */
export function tokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export function storedToken(
  token: string,
  about: Pick<StoredToken, 'role' | 'createdAtMs' | 'note'>,
): StoredToken {
  const digest = tokenDigest(token);
  return { id: digest.slice(0, 8), digest, ...about };
}

/** The digest of what an `Authorization` header holds; undefined: it holds no token. */
export function digestIn(header: string | undefined): string | undefined {
  const given = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(header ?? '')?.[1];
  return given === undefined ? undefined : tokenDigest(given);
}

/** Takes the same time whatever they share. */
export function isAmong(digest: string, accepted: readonly string[]): boolean {
  const given = Buffer.from(digest);
  // All are looked at, so that the time does not tell which one came near.
  return (
    accepted.filter((one) => one.length === digest.length && timingSafeEqual(given, Buffer.from(one)))
      .length > 0
  );
}

/** How far a token is trusted; undefined: it is not accepted, or not any more. */
export function trustOf(digest: string | undefined, tokens: LinkTokens): Trust | undefined {
  if (digest === undefined) return undefined;
  const own = isAmong(digest, tokens.own);
  const volunteer = isAmong(digest, tokens.volunteer);
  return own ? 'own' : volunteer ? 'volunteer' : undefined;
}
