import { aloneMutants } from './alone-mutants.ts';
import { apiMutants } from './api-mutants.ts';
import { borderMutants } from './border-mutants.ts';
import { browserMutants } from './browser-mutants.ts';
import { budgetMutants } from './budget-mutants.ts';
import { challengeMutants } from './challenge-mutants.ts';
import { changeMutants } from './change-mutants.ts';
import { clockMutants } from './clock-mutants.ts';
import { compareMutants } from './compare-mutants.ts';
import { consoleMutants } from './console-mutants.ts';
import { crawlMutants } from './crawl-mutants.ts';
import { deployMutants } from './deploy-mutants.ts';
import { diagnosticsMutants } from './diagnostics-mutants.ts';
import { diskMutants } from './disk-mutants.ts';
import { documentMutants } from './document-mutants.ts';
import { egressMutants } from './egress-mutants.ts';
import { fleetMutants } from './fleet-mutants.ts';
import { forgetMutants } from './forget-mutants.ts';
import { formMutants } from './form-mutants.ts';
import { generationMutants } from './generation-mutants.ts';
import { handlerMutants } from './handler-mutants.ts';
import { historyMutants } from './history-mutants.ts';
import { hostHistoryMutants } from './host-history-mutants.ts';
import { hostMutants } from './host-mutants.ts';
import { hostRuleMutants } from './host-rule-mutants.ts';
import { adminMutants } from './admin-mutants.ts';
import { openCrawlMutants } from './open-crawl-mutants.ts';
import { groupMutants } from './group-mutants.ts';
import { orderMutants } from './order-mutants.ts';
import { ownerMutants } from './owner-mutants.ts';
import { identityMutants } from './identity-mutants.ts';
import { ledgerMutants } from './ledger-mutants.ts';
import { libraryMutants } from './library-mutants.ts';
import { limitMutants } from './limit-mutants.ts';
import { keptMutants } from './kept-mutants.ts';
import { linkCheckMutants } from './link-check-mutants.ts';
import { localConsoleMutants } from './local-console-mutants.ts';
import { linkMutants } from './link-mutants.ts';
import { liveLoginMutants } from './live-login-mutants.ts';
import { lossMutants } from './loss-mutants.ts';
import { mainContentMutants } from './main-content-mutants.ts';
import { mcpMutants } from './mcp-mutants.ts';
import { membersMutants } from './members-mutants.ts';
import { metricsMutants } from './metrics-mutants.ts';
import { mirrorMutants } from './mirror-mutants.ts';
import type { Mutant } from './mutant.ts';
import { objectMutants } from './object-mutants.ts';
import { pageDataMutants } from './page-data-mutants.ts';
import { recrawlMutants } from './recrawl-mutants.ts';
import { redisMutants } from './redis-mutants.ts';
import { registryMutants } from './registry-mutants.ts';
import { releaseMutants } from './release-mutants.ts';
import { numberMutants } from './number-mutants.ts';
import { reportMutants } from './report-mutants.ts';
import { renditionMutants } from './rendition-mutants.ts';
import { requestMutants } from './request-mutants.ts';
import { rotationMutants } from './rotation-mutants.ts';
import { saverMutants } from './saver-mutants.ts';
import { scheduleMutants } from './schedule-mutants.ts';
import { shareMutants } from './share-mutants.ts';
import { shellMutants } from './shell-mutants.ts';
import { siteLoginMutants } from './site-login-mutants.ts';
import { timesMutants } from './times-mutants.ts';
import { totalLossMutants } from './total-loss-mutants.ts';
import { sqliteMutants } from './sqlite-mutants.ts';
import { stepsMutants } from './steps-mutants.ts';
import { storeMutants } from './store-mutants.ts';
import { storedContentMutants } from './stored-content-mutants.ts';
import { streamMutants } from './stream-mutants.ts';
import { surveyMutants } from './survey-mutants.ts';
import { urlMutants } from './url-mutants.ts';
import { visitMutants } from './visit-mutants.ts';
import { workerMutants } from './worker-mutants.ts';

export const mutants: readonly Mutant[] = [
  ...timesMutants,
  ...deployMutants,
  ...diagnosticsMutants,
  ...mcpMutants,
  ...scheduleMutants,
  ...forgetMutants,
  ...sqliteMutants,
  ...historyMutants,
  ...ledgerMutants,
  ...recrawlMutants,
  ...keptMutants,
  ...redisMutants,
  ...clockMutants,
  ...diskMutants,
  ...objectMutants,
  ...egressMutants,
  ...identityMutants,
  ...workerMutants,
  ...lossMutants,
  ...mainContentMutants,
  ...pageDataMutants,
  ...documentMutants,
  ...formMutants,
  ...releaseMutants,
  ...numberMutants,
  ...reportMutants,
  ...renditionMutants,
  ...challengeMutants,
  ...linkMutants,
  ...localConsoleMutants,
  ...membersMutants,
  ...consoleMutants,
  ...compareMutants,
  ...storedContentMutants,
  ...crawlMutants,
  ...generationMutants,
  ...fleetMutants,
  ...hostHistoryMutants,
  ...hostMutants,
  ...hostRuleMutants,
  ...openCrawlMutants,
  ...changeMutants,
  ...groupMutants,
  ...visitMutants,
  ...orderMutants,
  ...ownerMutants,
  ...adminMutants,
  ...libraryMutants,
  ...handlerMutants,
  ...metricsMutants,
  ...mirrorMutants,
  ...stepsMutants,
  ...storeMutants,
  ...surveyMutants,
  ...streamMutants,
  ...registryMutants,
  ...browserMutants,
  ...budgetMutants,
  ...urlMutants,
  ...apiMutants,
  ...limitMutants,
  ...linkCheckMutants,
  ...borderMutants,
  ...shareMutants,
  ...shellMutants,
  ...requestMutants,
  ...siteLoginMutants,
  ...totalLossMutants,
  ...liveLoginMutants,
  ...saverMutants,
  ...aloneMutants,
  ...rotationMutants,
];
