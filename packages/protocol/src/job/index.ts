/** What a crawl is asked to do: the job file, its schema, its policy and its units. */
export { closest } from './closest.ts';
export { changedFields, mergePatch, scopeChanged } from './changes.ts';
export { withField, writtenAs } from './edit-text.ts';
export { type JobPlace, parseJobFile, parseValue, type PrepareJob, readText, type ReadText } from './file.ts';
export { fieldPaths, type JobLeaf, leavesOf, schemaAt, type SchemaNode, variants } from './fields.ts';
export {
  type Budget,
  durabilities,
  type Durability,
  type ExtractField,
  type ExtractRule,
  type FetchPolicy,
  type FieldSource,
  type HostTreatment,
  type JobIdentity,
  type JobSeed,
  type Limits,
  type LoginCheck,
  type LoginRule,
  type ObjectPlace,
  type Politeness,
  type ProxyRule,
  type Render,
  type RenderRule,
  renders,
  type RobotsPolicy,
  type SaveTarget,
  type ScraperChoice,
  type FileRules,
  type Mirror,
  type PageStep,
  type StepAction,
  type StepRule,
  type StoreChoice,
  type TarCompression,
  tarCompressions,
  type Threshold,
  thresholdSigns,
  type TypeRules,
} from './job.ts';
export {
  headerChooser,
  inFlightOn,
  type JobPace,
  obeysRobots,
  paceChooser,
  portAllowed,
  proxyChooser,
  renderChooser,
  requireContact,
  robotsToken,
  savesPage,
  savesType,
  shortestGapMs,
  unsafePorts,
  userAgentFor,
} from './policy.ts';
export {
  archivePlace,
  placeName,
  storageFields,
  storagesOf,
  typedPlaces,
  withReach,
} from './object-place.ts';
export { checkPolicy, policyIn, type PolicyRef, withPolicy } from './named-policy.ts';
export type { JobProblem } from './problems.ts';
export { checkJob, readableJob, resolveJob, showPath } from './resolve.ts';
export { jobJsonSchema, type PolicyInput, policyName, policySchema } from './schema.ts';
export { accountName, loginCommand, loginRule, loginSite } from './login-rule.ts';
export { type ElementPath, elementPath, targetTrouble } from './selector.ts';
export {
  requireHeaderValues,
  type RequestSecrets,
  withholdSecrets,
  withoutSecrets,
  withRequestSecrets,
} from './secrets.ts';
export {
  splitStoreUrl,
  type StoreUrlOption,
  type StoreUrlOptions,
  storeUrlOptions,
  withStoreOptions,
} from './store-url.ts';
export { measureThresholds, type ThresholdFigures, type ThresholdResult } from './thresholds.ts';
export { formatDuration, formatSize, parseDuration, parseSize } from './units.ts';
export { defaultPerAddress, defaultTeam, headerTrouble, keyDirectoryPath, teamName } from './values.ts';
export {
  type LabelRule,
  type NormaliseRules,
  type ScopeRules,
  type SiteCredentials,
  type Stay,
  stays,
  type UrlPattern,
  type UrlRule,
} from '../url/rules.ts';
export { extensionByType, typeOfExtension } from './media-types.ts';
export { type Storages, storagesSchema } from './choices.ts';
