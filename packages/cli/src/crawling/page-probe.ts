import type { DatedClock, DroppedReason, Job, RobotsCopy, Url } from '@webfarer/protocol';
import { obeysRobots, proxyChooser, robotsToken } from '@webfarer/protocol/job';
import { type RobotsVerdict, robotsVerdict } from '@webfarer/protocol/robots';
import { createScope, hostOf, normaliser, originOf } from '@webfarer/protocol/url';
import {
  createEgress,
  createRobotsFiles,
  decodeBody,
  type Document,
  encodingsOf,
  type Exchange,
  type FetchAnswer,
  type FetchSession,
  locationOf,
  readDocument,
  readRobots,
  type RequestSigner,
} from '@webfarer/worker';

export interface ProbeOptions {
  url: Url;
  job: Job;
  /** What the scope is seen from; the URL itself where no crawl is named. */
  seeds: readonly Url[];
  userAgent: string;
  /** Absent: requests go out unsigned. */
  signer?: RequestSigner | undefined;
  /** Only for this page, not for robots.txt or others: they may hold a secret of its site. */
  pageHeaders?: { url: Url; headers: [string, string][] };
  clock: DatedClock;
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

export async function probePage({ url, ...options }: ProbeOptions): Promise<PageProbe> {
  const prober = openProber(options);
  try {
    return await prober.probe(url);
  } finally {
    await prober.close();
  }
}

export type ProberOptions = Omit<ProbeOptions, 'url'>;

/** Looks at one page after the other, as politely as a crawl: robots.txt once for each origin, the gap before each request. */
export interface Prober {
  probe(url: Url): Promise<PageProbe>;
  /** What a crawl would do with a URL. Reads the robots.txt of its origin, and nothing else. */
  judge(url: Url): Promise<ProbedLink>;
  close(): Promise<void>;
}

/** What the looks at several pages share. */
interface Visit {
  options: ProberOptions;
  session(host: string): FetchSession;
  /** Robots.txt of the origins seen so far. */
  copies: Map<string, RobotsCopy>;
  /** Ends once the host may be asked again. */
  turn(host: string, gapMs: number): Promise<void>;
  asked(host: string): void;
}

export function openProber(options: ProberOptions): Prober {
  const { job, clock, signal, signer } = options;
  const dns = job.fetch.dns.length > 0 ? job.fetch.dns : undefined;
  const egress = createEgress({ clock, dns, signer });
  const sessions = new Map<string, FetchSession>();
  const endedAtMs = new Map<string, number>();
  const visit: Visit = {
    options,
    copies: new Map(),
    session(host) {
      const session = sessions.get(host) ?? egress.open(host);
      sessions.set(host, session);
      return session;
    },
    async turn(host, gapMs) {
      const ended = endedAtMs.get(host);
      if (ended !== undefined) await clock.sleep(Math.max(0, ended + gapMs - clock.now()), signal);
    },
    asked: (host) => void endedAtMs.set(host, clock.now()),
  };
  return {
    probe: (url) => probeWith(visit, url),
    async judge(url) {
      const link = linkDecider(options)({ url, rel: '', text: '', nofollow: false });
      if (!link.in) return link;
      const { verdict } = await robotsFor(visit, url);
      return verdict.allowed ? link : { ...link, robots: verdict.rule ?? 'robots.txt' };
    },
    close: () => egress.close(),
  };
}

async function probeWith(visit: Visit, url: Url): Promise<PageProbe> {
  const { options } = visit;
  const { job, signal, pageHeaders } = options;
  const host = hostOf(url);
  const robots = await robotsFor(visit, url);
  if (!robots.verdict.allowed) return { robots, links: [] };
  // The same pause that a crawl would make between robots.txt and the page.
  await visit.turn(host, Math.max(job.politeness.gapMs, robots.verdict.crawlDelayMs ?? 0));
  const proxy = proxyChooser(job, options.seeds.map(hostOf))(url);
  const fetched = await visit.session(host).fetch({
    url,
    method: 'GET',
    headers: [...headersOf(options), ...(pageHeaders?.url === url ? pageHeaders.headers : [])],
    timeoutMs: job.fetch.timeoutMs,
    maxBytes: job.fetch.maxBodyBytes,
    maxDecodedBytes: job.fetch.maxDecodedBytes,
    allowPrivate: job.fetch.allowPrivate,
    ...(proxy === undefined ? {} : { proxy }),
    signal,
  });
  visit.asked(host);
  if (!fetched.ok) return { robots, answer: fetched, links: [] };
  // A page is kept for as long as its reader likes; the memory of the fetcher is not.
  const answer = { ...fetched, body: Buffer.from(fetched.body) };
  fetched.release();
  const decide = linkDecider(options);
  const redirect = redirectOf(answer, { job, url }, decide);
  const document = await documentOf(answer, options);
  return {
    robots,
    answer,
    ...(redirect === undefined ? {} : { redirect }),
    document,
    links: document.links
      .map(decide)
      .map((link) => withRobots(link, robots.copy, { url, userAgent: options.userAgent })),
  };
}

function headersOf({ userAgent, job }: ProberOptions): [string, string][] {
  return [
    ['User-Agent', userAgent],
    ['Accept', 'text/html,application/xhtml+xml,*/*;q=0.8'],
    ['Accept-Encoding', 'gzip, deflate, br'],
    ...job.fetch.headers,
  ];
}

/** Reads robots.txt as a crawl does, redirects included, with the gap before each hop. */
async function robotsFor(visit: Visit, url: Url): Promise<PageProbe['robots']> {
  const { job, clock, signal, userAgent } = visit.options;
  const host = hostOf(url);
  if (!obeysRobots(job, host))
    return { copy: undefined, verdict: { allowed: true, rule: 'robots.ignoreFor' } };
  const judged = (copy: RobotsCopy) => ({ copy, verdict: robotsVerdict(copy, robotsToken(userAgent), url) });
  const known = visit.copies.get(originOf(url));
  if (known) return judged(known);
  let target: Url | undefined;
  for (let hops = 0; ; hops++) {
    await visit.turn(host, job.politeness.gapMs);
    const answer = await readRobots({
      session: visit.session(host),
      files: createRobotsFiles(),
      clock,
      origin: originOf(url),
      ...(target === undefined ? {} : { url: target }),
      hops,
      headers: () => headersOf(visit.options),
      allowPrivate: job.fetch.allowPrivate,
      signal,
    });
    visit.asked(host);
    if (answer.kind === 'copy') {
      visit.copies.set(originOf(url), answer.copy);
      return judged(answer.copy);
    }
    if (answer.kind !== 'redirect') {
      const rule = 'robots.txt could not be read, so nothing may be fetched';
      const detail = answer.kind === 'failed' ? `${answer.reason}: ${answer.detail}` : 'it was not requested';
      return { copy: undefined, verdict: { allowed: false, rule }, detail };
    }
    target = answer.url;
  }
}

type Decide = (link: { url: Url; rel: string; text: string; nofollow: boolean }) => ProbedLink;

function linkDecider({ job, seeds }: ProberOptions): Decide {
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
  { url, userAgent }: Pick<ProbeOptions, 'url' | 'userAgent'>,
): ProbedLink {
  if (!link.in || !copy || originOf(link.url) !== originOf(url)) return link;
  const { allowed, rule } = robotsVerdict(copy, robotsToken(userAgent), link.url);
  return allowed ? link : { ...link, robots: rule ?? 'robots.txt' };
}

function redirectOf(
  page: Exchange,
  { job, url }: Pick<ProbeOptions, 'job' | 'url'>,
  decide: Decide,
): ProbedLink | undefined {
  const location = locationOf(page);
  if (page.status < 300 || page.status >= 400 || location === undefined) return undefined;
  const to = normaliser(job.normalise)(location, url);
  return to === undefined ? undefined : decide({ url: to, rel: 'redirect', text: '', nofollow: false });
}

async function documentOf(
  page: Exchange,
  { job, userAgent }: Pick<ProberOptions, 'job' | 'userAgent'>,
): Promise<Document> {
  const body = await decodeBody(page.body, encodingsOf(page), {
    maxBytes: job.fetch.maxDecodedBytes,
  });
  return readDocument({
    url: page.url,
    headers: page.headers,
    body: body.ok ? body.body : page.body,
    normalise: normaliser(job.normalise),
    agentToken: robotsToken(userAgent),
  });
}
