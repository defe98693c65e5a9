/** What is known of a running crawl: the reasons of outcomes, its counts and why it stalls. */
export { eventCatalogue, type EventLevel, type EventMeaning } from './event-catalogue.ts';
export type { LoginLoss, LoginUse } from './login-use.ts';
export { jsonLine, unprintable } from './json-line.ts';
export {
  doneReasons,
  droppedReasons,
  failedReasons,
  refusedReasons,
  renderWhys,
  waitReasons,
} from '../base/reasons.ts';
export { allOver, endedBy, isOver, refusedByBudget, ruledAway } from './over.ts';
export { type Phase, type PhaseName, phaseNames, phasesOf, untoldTries, wasRequested } from './phases.ts';
export {
  addsUp,
  allSaved,
  crawlStates,
  mostTries,
  notSavedReasons,
  renditionKinds,
  renditionUri,
  screenshotKinds,
} from './record.ts';
export { isDeviceName, markedName, safeName } from './safe-name.ts';
export { handlerReasons, rebuiltAnswersName, storedRetriesName } from './stored-answers.ts';
export { acknowledges, leftOutCause, stallCauses } from './stall-causes.ts';
export { causeOfWait, stallOf, stallOfPause } from './stall.ts';
export {
  type HostRule,
  hostRuleSchema,
  type OptOut,
  optOutSchema,
  readHostRule,
  readOptOut,
} from './host-rule.ts';
