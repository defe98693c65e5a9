import { clientOf, ownerRoutes } from '@webfarer/protocol/api';

/** The routes that need no token, and nothing else. */
export const ownerClient = clientOf(ownerRoutes, {
  url: location.origin,
  token: undefined,
  fetch: (url, init) => fetch(url, { ...init, credentials: 'omit', redirect: 'error' }),
});

const key = 'webfarer.owner-secret';

/** One for all hosts: each token is made from it and the name of the host. It outlives the tab, for owners who come back. */
export const keptSecret = (): string | undefined => localStorage.getItem(key) ?? undefined;
export const keepSecret = (secret: string): void => localStorage.setItem(key, secret);
