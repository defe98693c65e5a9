import { type DatedClock, type HostKey, WebfarerError } from '@webfarer/protocol';
import type {
  AboutCrawler,
  OwnerAnswer,
  OwnerPlace,
  OwnerToken,
  OwnerWish,
  SiteOwnersSettings,
} from '@webfarer/protocol/api';
import { resolveJob, robotsToken, userAgentFor } from '@webfarer/protocol/job';
import type { HostRules } from '../host-rules/host-rules.ts';
import { fetchedFrom, type FetchedSources } from './fetched-from.ts';
import { createOwnerLimits } from './owner-limits.ts';
import { holdsToken, ownerPaths, ownerToken } from './owner-proof.ts';
import { createOwnerRules, type OwnerRulesOptions, type OwnerWords } from './owner-rules.ts';

/** One request to a host, under the guards that hold for every request that leaves. Redirects are answers. Never rejects. */
export interface OwnerWay {
  read(request: {
    url: string;
    userAgent: string;
    allowPrivate: readonly string[];
    signal: AbortSignal;
  }): Promise<{ status: number; text: string } | undefined>;
}

export interface OwnerRequest extends OwnerWords {
  host: HostKey;
  secret: string;
  place: OwnerPlace;
  scheme: 'https' | 'http';
  wish: OwnerWish;
  gapMs: number;
}

/** What people without a token may learn and ask for. */
export interface SiteOwners {
  about(): AboutCrawler;
  isOptedOut(host: HostKey): boolean;
  token(host: HostKey, secret: string | undefined): OwnerToken;
  request(request: OwnerRequest, signal: AbortSignal): Promise<OwnerAnswer>;
}

export interface SiteOwnersOptions extends OwnerRulesOptions, FetchedSources {
  settings: SiteOwnersSettings;
  way: OwnerWay;
  rules: HostRules;
  /** Of the software. */
  version: string;
  clock: DatedClock;
}

/** For so long an owner who was found to be one need not be asked again, at this coordinator. */
const PROVEN_MS = 30 * 60_000;
const MOST_PROVEN = 10_000;

export function createSiteOwners(options: SiteOwnersOptions): SiteOwners {
  const { settings, way, rules, crawls, urls, clock, registry } = options;
  const about = aboutCrawler(settings, options.version);
  const limits = createOwnerLimits();
  const own = createOwnerRules(options);
  /** Until when, by token: it names the host, and cannot be made without the secret. */
  const proven = new Map<string, number>();

  function waitFor(waitMs: number): void {
    if (waitMs <= 0) return;
    throw new WebfarerError('too-often', 'this was asked for too often', {
      next: `Try again in ${Math.ceil(waitMs / 1_000)} s, or write to ${settings.contact}.`,
    });
  }

  async function prove({ host, secret, place, scheme }: OwnerRequest, signal: AbortSignal): Promise<void> {
    const wanted = ownerToken(host, secret);
    if ((proven.get(wanted.token) ?? 0) > clock.now()) return;
    // Not even for this: a stranger could have it contacted.
    if (rules.of(host)?.kind === 'refuse')
      throw new WebfarerError(
        'conflict',
        `nothing is requested from ${host}, so no token can be read there`,
        {
          next: `Write to ${settings.contact} if you want this to change.`,
        },
      );
    waitFor(limits.contact(host, clock.now()));
    const url = `${scheme}://${host}${ownerPaths[place]}`;
    const { userAgent } = about;
    const answer = await way.read({ url, userAgent, allowPrivate: settings.allowPrivate, signal });
    // Why it could not be read is not told: that would say which private names exist.
    if (!answer) throw unproven(`${url} could not be read from here`);
    if (answer.status !== 200) throw unproven(`${url} answered ${answer.status}; redirects are not followed`);
    if (!holdsToken(answer.text, wanted, place)) throw unproven(`the token was not found at ${url}`);
    for (const [token, untilMs] of proven)
      if (untilMs <= clock.now() || proven.size >= MOST_PROVEN) proven.delete(token);
    proven.set(wanted.token, clock.now() + PROVEN_MS);
  }

  async function act({ host, wish, gapMs, reason, contact }: OwnerRequest): Promise<void> {
    if (wish === 'stop') await own.stop(host, { reason, contact });
    if (wish === 'slow') await own.slow(host, gapMs, { reason, contact });
    if (wish === 'resume') await own.resume(host);
    await registry.note({
      atMs: Math.round(clock.wall()),
      who: `owner:${host}`,
      team: '',
      action: 'requestAsOwner',
      what: `/v1/site-owners/hosts/${host}`,
      detail: JSON.stringify(wish === 'slow' ? { wish, gapMs } : { wish }),
    });
  }

  return {
    about: () => about,
    isOptedOut(host) {
      const ruling = rules.of(host);
      return ruling?.kind === 'refuse' && ruling.reason === 'opt-out';
    },
    token: (host, secret) => ownerToken(host, secret),
    async request(request, signal) {
      const { host } = request;
      waitFor(limits.ask(host, clock.now()));
      await prove(request, signal);
      await act(request);
      const ruling = rules.of(host);
      return {
        host,
        ...(ruling?.kind === 'refuse' ? { refused: ruling.reason } : {}),
        ...(ruling?.kind === 'gap' ? { gapMs: ruling.gapMs } : {}),
        canResume: own.canResume(host),
        fetched: await fetchedFrom(host, { crawls, urls }),
      };
    },
  };
}

function unproven(why: string): WebfarerError {
  return new WebfarerError('forbidden', why, {
    next: 'Nothing was changed. Put the token there and try again.',
  });
}

export function aboutCrawler(settings: SiteOwnersSettings, version: string): AboutCrawler {
  const { name, contact, text, addresses, directory } = settings;
  const { fetch } = resolveJob({ seeds: ['http://none.invalid/'] });
  const given = settings.userAgent ?? fetch.userAgent;
  const userAgent = userAgentFor({ contact, fetch: { ...fetch, userAgent: given } }, version);
  return {
    name,
    contact,
    ...(text === undefined ? {} : { text }),
    userAgent,
    robotsName: robotsToken(userAgent),
    addresses,
    ...(directory === undefined ? {} : { directory }),
  };
}
