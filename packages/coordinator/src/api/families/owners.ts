import { type HostKey, WebfarerError } from '@webfarer/protocol';
import type { ownerRoutes } from '@webfarer/protocol/api';
import type { SiteOwners } from '../../owners/site-owners.ts';
import type { ApiParts } from '../call/api-parts.ts';
import type { HandlersOf } from '../call/call.ts';

/** Routes without a token. What they may do is decided in `owners/`. */
export function ownerHandlers({ owners }: Pick<ApiParts, 'owners'>): HandlersOf<typeof ownerRoutes> {
  function open(): SiteOwners {
    if (owners) return owners;
    throw new WebfarerError('not-found', 'this coordinator has no page for the owners of sites', {
      next: 'Those who run it can start it with --site-owners FILE (see docs/site-owners.md).',
    });
  }
  return {
    aboutCrawler: () => open().about(),
    isHostOptedOut: ({ params: { host } }) => ({ host, optedOut: open().isOptedOut(host as HostKey) }),
    createOwnerToken: ({ body: { host, secret } }) => open().token(host as HostKey, secret),
    requestAsOwner: async ({ body: { host, reason, contact, ...wish }, signal }) =>
      await open().request({ ...wish, host: host as HostKey, reason, contact }, signal),
  };
}
