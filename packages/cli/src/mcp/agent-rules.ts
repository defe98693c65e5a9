import { type JobInput, type Url, WebfarerError } from '@webfarer/protocol';
import { resolveJob, userAgentFor } from '@webfarer/protocol/job';
import { fitsHost, hostOf, normaliser, seedUrl } from '@webfarer/protocol/url';
import { type CrawlOptions, withOverrides } from '../job/crawl-options.ts';
import type { OpenOptions } from '../crawl/local-port.ts';

/** What the operator allows agents. An agent may ask for less, never for more. */
export interface AgentRules {
  /** All that agents crawl is below it. */
  folder: string;
  /** Pages of one crawl, and of one host for `fetch_page`. */
  maxPages: number;
  /** Crawls at once, maps of sites included. */
  maxCrawls: number;
  /** Host patterns; empty: every public host. */
  allow: readonly string[];
  /** How requests are made: gap, contact, proxy, private addresses. */
  requests: CrawlOptions;
}

/** Of the software, and where crawls of this machine agree on who contacts a host. */
export interface Opener {
  version: string;
  ledger: string;
}

/** The URL that an agent names. No address is private because an agent typed it: only the operator says which are. */
export function agentUrl(rules: Pick<AgentRules, 'allow'>, text: string): Url {
  const url = normaliser(resolveJob({ seeds: ['example.org'] }).normalise)(seedUrl(text)[0] ?? text);
  if (url === undefined)
    throw new WebfarerError('usage', `${text.slice(0, 200)} is not a web address.`, {
      next: 'Write it whole: https://example.org/',
    });
  const host = hostOf(url);
  if (rules.allow.length > 0 && !rules.allow.some((pattern) => fitsHost(pattern, host)))
    throw new WebfarerError('forbidden', `${host} is not among the hosts that this server may contact.`, {
      next: `The operator allows ${rules.allow.join(', ')}.`,
    });
  return url;
}

/** The crawl of an agent as the engine opens it: what the agent asks for, under the rules of the operator. */
export function agentCrawl(
  rules: AgentRules,
  { version, ledger }: Opener,
  { folder, input }: { folder: string; input: JobInput },
): OpenOptions {
  const whole = withOverrides(withAllowed(rules, input), rules.requests);
  const job = resolveJob(whole);
  return { job, input: whole, folder, userAgent: userAgentFor(job, version), ledger };
}

/** At every lease: redirects, sitemaps and links cannot lead to a host that is not allowed either. */
function withAllowed({ allow }: AgentRules, input: JobInput): JobInput {
  if (allow.length === 0) return input;
  const hosts = [{ match: '*', block: true }, ...allow.map((match) => ({ match, connections: 1 }))];
  return { ...input, politeness: { ...input.politeness, hosts } };
}
