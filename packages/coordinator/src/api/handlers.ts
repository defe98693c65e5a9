import type { Routes } from '@webfarer/protocol/api';
import type { ApiParts } from './call/api-parts.ts';
import { auditHandlers } from './families/audit.ts';
import type { HandlersOf } from './call/call.ts';
import { eventLogHandlers } from './families/event-log.ts';
import { behindTeams } from './call/crawl-teams.ts';
import { compareHandlers } from './families/comparing.ts';
import { crawlHandlers } from './families/crawls.ts';
import { hostHandlers } from './families/hosts.ts';
import { ownerHandlers } from './families/owners.ts';
import { policyHandlers } from './families/policies.ts';
import { resultHandlers } from './families/results.ts';
import { resourceHandlers } from './families/resources.ts';
import { scheduleHandlers } from './families/schedules.ts';
import { sessionHandlers } from './families/sessions.ts';
import { siteLoginHandlers } from './families/site-logins.ts';
import { surveyHandlers } from './families/surveying.ts';
import { systemHandlers } from './families/system.ts';
import { teamHandlers } from './families/teams.ts';
import { tokenHandlers } from './families/tokens.ts';
import { urlHandlers } from './families/urls.ts';
import { webhookHandlers } from './families/webhooks.ts';
import { workerHandlers } from './families/workers.ts';

/** A handler for every route. One line for each family. */
export function createHandlers(parts: ApiParts): HandlersOf<Routes> {
  const handlers: HandlersOf<Routes> = {
    ...systemHandlers(parts),
    ...crawlHandlers(parts),
    ...urlHandlers(parts),
    ...eventLogHandlers(parts),
    ...scheduleHandlers(parts),
    ...hostHandlers(parts),
    ...ownerHandlers(parts),
    ...policyHandlers(parts),
    ...tokenHandlers(parts),
    ...sessionHandlers(parts),
    ...siteLoginHandlers(parts),
    ...teamHandlers(parts),
    ...auditHandlers(parts),
    ...resultHandlers(parts),
    ...compareHandlers(parts),
    ...surveyHandlers(parts),
    ...resourceHandlers(parts),
    ...workerHandlers(parts),
    ...webhookHandlers(parts),
  };
  return behindTeams(handlers, parts.crawls);
}
