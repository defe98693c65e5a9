import { type DatedClock, type HostKey, WebfarerError } from '@webfarer/protocol';
import { type HostRule, type OptOut, readHostRule, readOptOut } from '@webfarer/protocol/crawl';
import { patternsOf, siteOf } from '@webfarer/protocol/url';
import type { HostRules } from '../host-rules/host-rules.ts';
import type { Registry, RegistryDoc } from '../registry/registry.ts';
import type { RegistryWatch } from '../registry/watch-registry.ts';

/** Who set a rule that came over the public page. No token and no user has a name with a space. */
export const byOwner = 'site owner';
/** Documents that strangers can have kept: of one registered domain, and in all. Every coordinator has them in memory. */
const MOST = { ofSite: 100, inAll: 10_000 };
const TRIES = 5;

export interface OwnerWords {
  reason: string | undefined;
  contact: string | undefined;
}

/** What owners set. It only ever adds to what operators decided, and takes back nothing but itself. */
export interface OwnerRules {
  stop(host: HostKey, words: OwnerWords): Promise<void>;
  slow(host: HostKey, gapMs: number, words: OwnerWords): Promise<void>;
  /** Takes back what the owner set. */
  resume(host: HostKey): Promise<void>;
  /** Whether there is something to take back. */
  canResume(host: HostKey): boolean;
}

export interface OwnerRulesOptions {
  registry: Registry;
  registryWatch: Pick<RegistryWatch, 'look'>;
  rules: Pick<HostRules, 'table'>;
  clock: DatedClock;
}

type Kind = 'host-rule' | 'opt-out';

export function createOwnerRules({ registry, registryWatch, rules, clock }: OwnerRulesOptions): OwnerRules {
  const set = () => ({ by: byOwner, atMs: Math.round(clock.wall()) });

  /** `next` answers what is to be kept in place of what is there; undefined: nothing changes; null: it is removed. */
  async function change(
    kind: Kind,
    host: HostKey,
    next: (doc: RegistryDoc | undefined) => OptOut | HostRule | null | undefined,
  ): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      const doc = await registry.get(kind, host);
      const value = next(doc);
      if (value === undefined || (value === null && !doc)) return;
      if (!doc) refuseMore(host);
      const version = doc?.version ?? 0;
      const answer =
        value === null
          ? await registry.remove(kind, host, version)
          : await registry.put(kind, host, version, value);
      // It holds here from now on; everywhere else within 5 s.
      if (answer.kind === 'changed') return await registryWatch.look();
    }
    throw new WebfarerError('conflict', `the rules for ${host} are being changed by others`, {
      next: 'Try again in a minute.',
    });
  }

  function refuseMore(host: HostKey): void {
    const { rules: hostRules, optOuts } = rules.table();
    const own = [...hostRules, ...optOuts].filter(([, { by }]) => by === byOwner);
    const site = siteOf(host);
    const ofSite = own.filter(([match]) => siteOf(match as HostKey) === site).length;
    if (own.length < MOST.inAll && ofSite < MOST.ofSite) return;
    throw new WebfarerError('conflict', `there are too many requests of site owners for ${site}`, {
      next: 'Write to the contact of this page: a whole domain takes one rule. robots.txt holds in any case.',
    });
  }

  /** A rule for the host itself comes before wider ones, and must not make their pause shorter. */
  function leastGapMs(host: HostKey): number {
    const { rules: known } = rules.table();
    return [...patternsOf(host)].reduce((most, pattern) => {
      const rule = known.get(pattern);
      return rule && rule.by !== byOwner ? Math.max(most, rule.gapMs ?? 0) : most;
    }, 0);
  }

  return {
    stop: (host, { reason = 'asked over the page for site owners', contact = 'not given' }) =>
      change('opt-out', host, (doc) =>
        doc
          ? undefined
          : { reason, contact, date: new Date(clock.wall()).toISOString().slice(0, 10), ...set() },
      ),
    slow: (host, gapMs, { reason, contact }) =>
      change('host-rule', host, (doc) => {
        const kept = doc && readHostRule(doc.value);
        const longest = Math.max(gapMs, leastGapMs(host));
        // An operator's rule stays theirs, with all it says.
        if (kept && kept.by !== byOwner) return { ...kept, gapMs: Math.max(longest, kept.gapMs ?? 0) };
        const note = [reason, contact].filter((text) => text !== undefined).join('; ');
        return { gapMs: longest, ...(note === '' ? {} : { note }), ...set() };
      }),
    async resume(host) {
      await change('opt-out', host, (doc) =>
        doc && readOptOut(doc.value).by === byOwner ? null : undefined,
      );
      await change('host-rule', host, (doc) =>
        doc && readHostRule(doc.value)?.by === byOwner ? null : undefined,
      );
    },
    canResume(host) {
      const { rules: known, optOuts } = rules.table();
      return known.get(host)?.by === byOwner || optOuts.get(host)?.by === byOwner;
    },
  };
}
