import { createHash, timingSafeEqual } from 'node:crypto';
import type { Trust } from '@webfarer/protocol';

/** The secrets by which workers are known, by how far they are believed. */
export interface LinkTokens {
  own: readonly string[];
  volunteer: readonly string[];
}

/** Takes the same time whatever they share. */
export function sameToken(given: string, expected: string): boolean {
  return expected !== '' && timingSafeEqual(digest(given), digest(expected));
}

/** What the `Authorization` header of a request is worth; undefined: nothing. */
export function trustOf(header: string | undefined, tokens: LinkTokens): Trust | undefined {
  const given = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(header ?? '')?.[1];
  if (given === undefined) return undefined;
  // All are looked at, so that the time does not tell which one came near.
  const own = tokens.own.filter((token) => sameToken(given, token)).length;
  const volunteer = tokens.volunteer.filter((token) => sameToken(given, token)).length;
  return own > 0 ? 'own' : volunteer > 0 ? 'volunteer' : undefined;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
