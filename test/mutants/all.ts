import { apiMutants } from './api-mutants.ts';
import { clockMutants } from './clock-mutants.ts';
import { crawlMutants } from './crawl-mutants.ts';
import { diskMutants } from './disk-mutants.ts';
import { egressMutants } from './egress-mutants.ts';
import { fleetMutants } from './fleet-mutants.ts';
import { generationMutants } from './generation-mutants.ts';
import { handlerMutants } from './handler-mutants.ts';
import { hostRuleMutants } from './host-rule-mutants.ts';
import { identityMutants } from './identity-mutants.ts';
import { ledgerMutants } from './ledger-mutants.ts';
import { libraryMutants } from './library-mutants.ts';
import { linkCheckMutants } from './link-check-mutants.ts';
import { linkMutants } from './link-mutants.ts';
import { mainContentMutants } from './main-content-mutants.ts';
import { membersMutants } from './members-mutants.ts';
import { mirrorMutants } from './mirror-mutants.ts';
import type { Mutant } from './mutant.ts';
import { pageDataMutants } from './page-data-mutants.ts';
import { redisMutants } from './redis-mutants.ts';
import { registryMutants } from './registry-mutants.ts';
import { scheduleMutants } from './schedule-mutants.ts';
import { shellMutants } from './shell-mutants.ts';
import { sqliteMutants } from './sqlite-mutants.ts';
import { streamMutants } from './stream-mutants.ts';
import { urlMutants } from './url-mutants.ts';
import { workerMutants } from './worker-mutants.ts';

export const mutants: readonly Mutant[] = [
  ...scheduleMutants,
  ...sqliteMutants,
  ...ledgerMutants,
  ...redisMutants,
  ...clockMutants,
  ...diskMutants,
  ...egressMutants,
  ...identityMutants,
  ...workerMutants,
  ...mainContentMutants,
  ...pageDataMutants,
  ...linkMutants,
  ...membersMutants,
  ...crawlMutants,
  ...generationMutants,
  ...fleetMutants,
  ...hostRuleMutants,
  ...libraryMutants,
  ...handlerMutants,
  ...mirrorMutants,
  ...streamMutants,
  ...registryMutants,
  ...urlMutants,
  ...apiMutants,
  ...linkCheckMutants,
  ...shellMutants,
];
