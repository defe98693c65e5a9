import type { Clock, DroppedReason, Job, RobotsCopy, Url } from '@webfarer/protocol';
import { obeysRobots, proxyChooser, robotsToken } from '@webfarer/protocol/job';
import { type RobotsVerdict, robotsVerdict } from '@webfarer/protocol/robots';
import { createScope, hostOf, normaliser, originOf } from '@webfarer/protocol/url';
import {
  createEgress,
  createRobotsFiles,
  decodeBody,
  type Document,
  type Exchange,
  type FetchAnswer,
  type FetchSession,
  header,
  readDocument,
  readRobots,
} from '@webfarer/worker';

export interface ProbeOptions {
  url: Url;
  job: Job;
  /** What the scope is seen from; the URL itself where no crawl is named. */
  seeds: readonly Url[];
  userAgent: string;
  clock: Clock;
  signal: AbortSignal;
}

/** One URL as a crawl would meet it: the permission, the answer, and what becomes of its links. */
export interface PageProbe {
  robots: { copy: RobotsCopy | undefined; verdict: RobotsVerdict; detail?: string };
  /** Absent when robots.txt does not allow the request. */
  answer?: FetchAnswer;
  /** Where a redirect leads, and whether a crawl would go there. */
  redirect?: ProbedLink;
  document?: Document;
  links: ProbedLink[];
}

export interface ProbedLink {
  url: Url;
  rel: string;
  text: string;
  in: boolean;
  reason?: DroppedReason;
  /** The setting that decided. */
  rule?: string;
  /** In scope, but the robots.txt that was just read closes it: the line that says so. */
  robots?: string;
}

export async function probePage(options: ProbeOptions): Promise<PageProbe> {
  const { job, clock } = options;
  const egress = createEgress({ clock, dns: job.fetch.dns.length > 0 ? job.fetch.dns : undefined });
  try {
    return await probeWith(egress.open(hostOf(options.url)), options);
  } finally {
    await egress.close();
  }
}

async function probeWith(session: FetchSession, options: ProbeOptions): Promise<PageProbe> {
  const { url, job, clock, signal } = options;
  const robots = await robotsFor(session, options);
  if (!robots.verdict.allowed) return { robots, links: [] };
  // The same pause that a crawl would make between robots.txt and the page.
  await clock.sleep(Math.max(job.politeness.gapMs, robots.verdict.crawlDelayMs ?? 0), signal);
  const proxy = proxyChooser(job, options.seeds.map(hostOf))(url);
  const answer = await session.fetch({
    url,
    method: 'GET',
    headers: headersOf(options),
    timeoutMs: job.fetch.timeoutMs,
    maxBytes: job.fetch.maxBodyBytes,
    maxDecodedBytes: job.fetch.maxDecodedBytes,
    allowPrivate: job.fetch.allowPrivate,
    ...(proxy === undefined ? {} : { proxy }),
    signal,
  });
  if (!answer.ok) return { robots, answer, links: [] };
  const decide = linkDecider(options);
  const redirect = redirectOf(answer, options, decide);
  const document = await documentOf(answer, options);
  return {
    robots,
    answer,
    ...(redirect === undefined ? {} : { redirect }),
    document,
    links: document.links.map(decide).map((link) => withRobots(link, robots.copy, options)),
  };
}

function headersOf({ userAgent, job }: ProbeOptions): [string, string][] {
  return [
    ['User-Agent', userAgent],
    ['Accept', 'text/html,application/xhtml+xml,*/*;q=0.8'],
    ['Accept-Encoding', 'gzip, deflate, br'],
    ...job.fetch.headers,
  ];
}

/** Reads robots.txt as a crawl does, redirects included, with the gap before each hop. */
async function robotsFor(session: FetchSession, options: ProbeOptions): Promise<PageProbe['robots']> {
  const { url, job, clock, signal } = options;
  if (!obeysRobots(job, hostOf(url)))
    return { copy: undefined, verdict: { allowed: true, rule: 'robots.ignoreFor' } };
  let target: Url | undefined;
  for (let hops = 0; ; hops++) {
    const answer = await readRobots({
      session,
      files: createRobotsFiles(),
      clock,
      origin: originOf(url),
      ...(target === undefined ? {} : { url: target }),
      hops,
      headers: () => headersOf(options),
      allowPrivate: job.fetch.allowPrivate,
      signal,
    });
    if (answer.kind === 'copy') {
      return { copy: answer.copy, verdict: robotsVerdict(answer.copy, robotsToken(options.userAgent), url) };
    }
    if (answer.kind !== 'redirect') {
      const rule = 'robots.txt could not be read, so nothing may be fetched';
      const detail = answer.kind === 'failed' ? `${answer.reason}: ${answer.detail}` : 'it was not requested';
      return { copy: undefined, verdict: { allowed: false, rule }, detail };
    }
    target = answer.url;
    await clock.sleep(job.politeness.gapMs, signal);
  }
}

type Decide = (link: { url: Url; rel: string; text: string; nofollow: boolean }) => ProbedLink;

function linkDecider({ job, seeds }: ProbeOptions): Decide {
  const scope = createScope(job, seeds);
  return ({ url, rel, text, nofollow }) => {
    if (nofollow) return { url, rel, text, in: false, reason: 'nofollow' };
    const decision = scope.decide({ url, depth: 1, parentCost: 0, kind: 'page', hops: 0 });
    if (decision.in) return { url, rel, text, in: true };
    const { reason, rule } = decision;
    return { url, rel, text, in: false, reason, ...(rule === undefined ? {} : { rule }) };
  };
}

/** Only links to the page's own origin: the rules of others are not fetched for a look at one page. */
function withRobots(
  link: ProbedLink,
  copy: RobotsCopy | undefined,
  { url, userAgent }: ProbeOptions,
): ProbedLink {
  if (!link.in || !copy || originOf(link.url) !== originOf(url)) return link;
  const { allowed, rule } = robotsVerdict(copy, robotsToken(userAgent), link.url);
  return allowed ? link : { ...link, robots: rule ?? 'robots.txt' };
}

function redirectOf(page: Exchange, { job, url }: ProbeOptions, decide: Decide): ProbedLink | undefined {
  const location = header(page, 'location');
  if (page.status < 300 || page.status >= 400 || location === undefined) return undefined;
  const to = normaliser(job.normalise)(location, url);
  return to === undefined ? undefined : decide({ url: to, rel: 'redirect', text: '', nofollow: false });
}

async function documentOf(page: Exchange, { url, job, userAgent }: ProbeOptions): Promise<Document> {
  const body = await decodeBody(page.body, header(page, 'content-encoding'), {
    maxBytes: job.fetch.maxDecodedBytes,
  });
  return readDocument({
    url,
    headers: page.headers,
    body: body.ok ? body.body : page.body,
    normalise: normaliser(job.normalise),
    agentToken: robotsToken(userAgent),
  });
}
