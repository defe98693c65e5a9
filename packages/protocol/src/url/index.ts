/** URLs: parsing, normal form, hosts and sites, scope, patterns and the secrets that may stand in them. */
export { type Fingerprinter, fingerprinter } from './fingerprint.ts';
export { createExpression, type Expression } from '../expression/expression.ts';
export { globMatcher, patternMatcher, showPattern } from './glob.ts';
export { isHostKey } from './host.ts';
export { fitsHost, hostPattern, isInSite, patternsOf } from './host-pattern.ts';
export { type HostMatch, hostMatch, hostNamedIn } from './host-match.ts';
export { isLogOut } from './log-out.ts';
export {
  createScope,
  labelRule,
  type Scope,
  type ScopeDecision,
  type ScopeJob,
  type ScopeLink,
  stayRule,
} from './scope.ts';
export { methodOf, requestSuffix, requestUrl, targetOf } from './request-url.ts';
export {
  authorizationFor,
  credentialsIn,
  credentialsLine,
  isForm,
  isMasked,
  mask,
  redact,
  siteCredentials,
  withoutUserinfo,
} from './secrets.ts';
export { domainsOf, groupCount, groupOf, type HostDomains, siteOf, suffixListVersion } from './site.ts';
export { siteFinder, suffixRules } from './suffix-rules.ts';
export { surt } from './surt.ts';
export {
  hostOf,
  isCrawlUrl,
  linkProblem,
  maxUrlBytes,
  normaliser,
  originOf,
  parseUrl,
  pathOf,
  seedUrl,
} from './url.ts';
export { type LinkAttribute, linkRelation, linkTable, type LinkUse, linkUse } from './link-table.ts';
