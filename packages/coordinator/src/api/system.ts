import type { systemRoutes } from '@webfarer/protocol/api';
import type { ApiParts } from './api-parts.ts';
import type { HandlersOf } from './call.ts';

export function systemHandlers({ version }: ApiParts): HandlersOf<typeof systemRoutes> {
  return {
    getVersion: () => ({ version, api: 'v1' }),
  };
}
