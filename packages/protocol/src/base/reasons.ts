/**
 * The closed table of reasons: why a URL ended as it did, and why a link was not queued.
 * Docs and `explain` are generated from it, so every code carries its sentence.
 */
export const doneReasons = {
  ok: 'answered 2xx',
  redirect: 'answered with a redirect; its target was offered as a URL of its own',
  'not-modified': 'answered 304: unchanged since the previous crawl',
  'http-4xx': 'answered 4xx',
  'http-other': 'answered with a status outside 2xx to 5xx',
} as const;

export const failedReasons = {
  'dns-not-found': 'the name does not exist (NXDOMAIN)',
  'dns-failed': 'the DNS servers did not respond',
  'connect-refused': 'the connection was refused',
  'connect-timeout': 'no connection within the time allowed',
  unreachable: 'no route to the host',
  'no-ipv6': 'the host has only IPv6 addresses, and this machine has no IPv6 route to it',
  'proxy-failed': 'the proxy could not be reached, or refused',
  'connection-reset': 'the connection was closed early',
  'tls-error': 'the secure connection could not be made',
  timeout: 'not complete within the time allowed',
  'protocol-error': 'the response was not valid HTTP',
  'headers-too-large': 'the response has more headers than allowed',
  'bad-encoding': 'the content encoding could not be decoded',
  'http-429': 'answered 429 (too many requests) until the last try',
  'http-5xx': 'answered 5xx until the last try',
  'host-dead': 'the host did not respond in any of the allowed rounds',
  'render-timeout': 'the page could not be read in a browser within the time allowed',
  'render-crash': 'the page crashed the browser',
  'step-failed': 'a step of the job could not be done on the page',
  login: 'the site answered as to a logged-out visitor, though the account was logged in',
  handler: "the scraper's own code threw an error",
  'handler-timeout': "the scraper's own code took longer than allowed",
  'item-invalid': 'the scraper pushed an item that does not fit the schema, or that JSON cannot represent',
  poison: 'workers died while holding this URL, more often than allowed',
} as const;

export const refusedReasons = {
  robots: 'robots.txt does not allow it',
  'robots-unreachable': 'robots.txt could not be read, so nothing may be fetched',
  'crawl-delay': 'robots.txt asks for a longer delay than the policy accepts',
  type: 'the policy does not save this content type',
  'too-large': 'the response is longer than the policy allows',
  'host-budget': "the host's page or byte budget is used up",
  'site-budget': "the site's page or byte budget is used up",
  trap: 'looks like an endless space (repeated or growing path)',
  scope: 'no longer in scope',
  dropped: 'an operator removed it from the queue',
  'redirect-limit': 'too many redirects in a row',
  'private-address': 'the address is not globally reachable and not allow-listed',
  port: 'the port is not allowed',
  challenge: 'the host asks for proof of being human (CAPTCHA or challenge page)',
  blocked: 'the host is blocked by a host rule or by the job file',
  'opt-out': 'the owner of the site has opted out of being crawled',
} as const;

/** Links that never enter the balance: counted by reason, not stored. */
export const droppedReasons = {
  scope: 'outside the stay setting',
  excluded: 'matches an exclude rule',
  'not-included': 'matches no include rule',
  depth: 'deeper than limits.depth',
  cost: 'costs more than limits.cost',
  scheme: 'not http or https',
  invalid: 'not a valid URL',
  'too-long': 'longer than 2,083 bytes',
  nofollow: 'the page or link says nofollow',
  'not-followed': 'the scraper chose not to follow it',
  'host-budget': "the host's budget is used up",
  'site-budget': "the site's budget is used up",
  trap: 'looks like an endless space (repeated or growing path)',
  'redirect-limit': 'too many redirects in a row',
  requisite: 'a page requisite, and requisites are off',
  forgotten: 'its host was deleted from the crawl on request',
} as const;

export type DoneReason = keyof typeof doneReasons;
export type FailedReason = keyof typeof failedReasons;
export type RefusedReason = keyof typeof refusedReasons;
export type DroppedReason = keyof typeof droppedReasons;
export type OutcomeReason = DoneReason | FailedReason | RefusedReason;

/** Why a host must wait before its next request. */
export const waitReasons = {
  gap: 'the pause between two requests',
  'crawl-delay': 'robots.txt asks for it',
  rule: 'a host rule asks for a longer pause',
  slow: 'the host answers slowly',
  'retry-after': 'the host asked for it (Retry-After)',
  backoff: 'the host had trouble',
  robots: 'robots.txt could not be read yet',
  login: 'the account for this site is logged out',
  held: 'a worker may still be talking to it',
  'other-crawl': 'another crawl on this machine has its turn',
  alone:
    'a worker gave it back: it cannot work on the crawl now, or one of its URLs ended workers and is tried alone',
} as const;
export type WaitReason = keyof typeof waitReasons;

/** Why a page was shown in a browser, or was not. */
export const renderWhys = {
  'no-scripts': 'it has no scripts',
  sample: 'to see whether pages of its kind gain by it',
  gains: 'pages of its kind have more links or text there',
  steps: 'the job has steps for it',
  handler: 'your code acts on it there',
  'gains-nothing': 'pages of its kind have nothing more there',
  rule: 'the job says so',
} as const;
export type RenderWhy = keyof typeof renderWhys;

/** A reason as a person or a hook sees it. `rule` names what decided: a robots line, an exclude pattern. */
export interface Reason {
  code: OutcomeReason | DroppedReason;
  rule?: string;
  detail?: string;
}
