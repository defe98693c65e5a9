import type { Routes } from '@webfarer/protocol/api';
import type { ApiParts } from './api-parts.ts';
import type { HandlersOf } from './call.ts';
import { crawlHandlers } from './crawls.ts';
import { systemHandlers } from './system.ts';

/** A handler for every route. One line for each family. */
export function createHandlers(parts: ApiParts): HandlersOf<Routes> {
  return {
    ...systemHandlers(parts),
    ...crawlHandlers(parts),
  };
}
