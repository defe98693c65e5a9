import { createHash, randomBytes } from 'node:crypto';
import type { OwnerPlace, OwnerToken } from '@webfarer/protocol/api';

/** At the root of a host: whoever can put files there decides what robots.txt says, too. */
export const ownerPaths: Readonly<Record<OwnerPlace, string>> = {
  'well-known': '/.well-known/webfarer-owner.txt',
  robots: '/robots.txt',
};
const comment = '# webfarer-owner: ';

/**
 * The token is a hash, so that everyone may read it on the host and only the one who asked for it has the secret. It
 * names the host: a token that was put on one host says nothing about another. Nothing is kept of either.
 */
export function ownerToken(host: string, secret = randomBytes(32).toString('base64url')): OwnerToken {
  const digest = createHash('sha256').update(`webfarer-owner ${host} ${secret}`).digest('base64url');
  const token = `webfarer-owner-${digest}`;
  return { host, secret, token, path: ownerPaths['well-known'], line: comment + token };
}

/**
 * Whether a file holds the token. The file for it holds nothing else, so that a page that repeats what visitors wrote is
 * not taken for it; in robots.txt it is a line of its own.
 */
export function holdsToken(text: string, { token, line }: OwnerToken, place: OwnerPlace): boolean {
  if (place === 'well-known') return text.trim() === token;
  return text.split(/\r\n|\r|\n/).some((each) => each.trim() === line);
}
