import type { Routes } from '@webfarer/protocol/api';
import type { ApiParts } from './api-parts.ts';
import { auditHandlers } from './audit.ts';
import type { HandlersOf } from './call.ts';
import { behindTeams } from './crawl-teams.ts';
import { crawlHandlers } from './crawls.ts';
import { hostHandlers } from './hosts-handlers.ts';
import { policyHandlers } from './policies.ts';
import { resultHandlers } from './results-handlers.ts';
import { resourceHandlers } from './resources.ts';
import { scheduleHandlers } from './schedules-handlers.ts';
import { systemHandlers } from './system.ts';
import { teamHandlers } from './teams.ts';
import { tokenHandlers } from './tokens.ts';
import { webhookHandlers } from './webhooks.ts';
import { workerHandlers } from './workers.ts';

/** A handler for every route. One line for each family. */
export function createHandlers(parts: ApiParts): HandlersOf<Routes> {
  const handlers: HandlersOf<Routes> = {
    ...systemHandlers(parts),
    ...crawlHandlers(parts),
    ...scheduleHandlers(parts),
    ...hostHandlers(parts),
    ...policyHandlers(parts),
    ...tokenHandlers(parts),
    ...teamHandlers(parts),
    ...auditHandlers(parts),
    ...resultHandlers(parts),
    ...resourceHandlers(parts),
    ...workerHandlers(parts),
    ...webhookHandlers(parts),
  };
  return behindTeams(handlers, parts.crawls);
}
