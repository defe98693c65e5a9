import { systemClock } from '@webfarer/protocol';
import { type ApiScope, apiScopes, type Route } from '@webfarer/protocol/api';
import { type App, type AppOptions, createApp } from './app.ts';

type Told<Table extends Record<string, Route>> = Pick<AppOptions<Table>, 'routes' | 'handlers'> &
  Partial<AppOptions<Table>>;

/** An app whose tokens are the names of their scopes: `Authorization: Bearer viewer`. */
export function appOf<Table extends Record<string, Route>>(told: Told<Table>): App {
  return createApp({
    clock: systemClock(),
    authenticate(header) {
      const scope = header('authorization')?.slice('Bearer '.length) as ApiScope;
      return apiScopes.includes(scope) ? { id: scope, scope, team: 'a' } : undefined;
    },
    lookUp: () => Promise.resolve(undefined),
    ready: () => Promise.resolve({ ready: true, acknowledges: true }),
    storeTrouble: () => undefined,
    status: () => Promise.resolve({}),
    changed: () => Promise.resolve(),
    page: () => undefined,
    failed(error) {
      throw error;
    },
    ...told,
  });
}
