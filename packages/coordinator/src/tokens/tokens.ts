import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Trust } from '@webfarer/protocol/link';

/** How far the holders of tokens are trusted who connect as workers. */
export interface LinkTokens {
  /** Undefined: the token is not accepted, or not any more. */
  trustOf(digest: string): Trust | undefined;
}

const ID_BYTES = 5;
const SECRET_BYTES = 32;
const CHECKSUM_CHARS = 7;
const format = /^wf_([0-9a-z]{8,16})_([\w-]{43})([0-9a-z]{7})$/;

/** Ids are public: they are listed, and a token says its own. */
export function newTokenId(): string {
  return randomBytes(ID_BYTES).toString('hex');
}

/** `wf_ID_SECRET`: scanners recognize its beginning, and its last seven characters tell a mistyped one. */
export function newToken(id: string): string {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return `wf_${id}_${secret}${checksum(id, secret)}`;
}

function checksum(id: string, secret: string): string {
  return crc32(`${id}_${secret}`).toString(36).padStart(CHECKSUM_CHARS, '0');
}

/** It looks like a token of ours, and is not one. */
export function isMistyped(token: string): boolean {
  if (!token.startsWith('wf_')) return false;
  const [, id = '', secret = '', sum] = format.exec(token) ?? [];
  return sum !== checksum(id, secret);
}

/** Tokens are random, so a plain digest tells nobody what they are. */
export function tokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The digest of what an `Authorization` header holds; undefined: it holds no token. */
export function digestIn(header: string | undefined): string | undefined {
  const given = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(header ?? '')?.[1];
  return given === undefined ? undefined : tokenDigest(given);
}

/** Takes the same time whatever they share. */
export function isSameDigest(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

/** Takes the same time whatever they share. */
function isAmong(digest: string, accepted: readonly string[]): boolean {
  // All are looked at, so that the time does not tell which one came near.
  return accepted.filter((one) => isSameDigest(digest, one)).length > 0;
}

/** Accepts the tokens with these digests, and no others. */
export function listedTokens(digests: Record<Trust, readonly string[]>): LinkTokens {
  return {
    trustOf(digest) {
      const own = isAmong(digest, digests.own);
      const volunteer = isAmong(digest, digests.volunteer);
      return own ? 'own' : volunteer ? 'volunteer' : undefined;
    },
  };
}
