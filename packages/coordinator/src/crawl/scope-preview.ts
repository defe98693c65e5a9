import type { Clock, CrawlId, DroppedReason } from '@webfarer/protocol';
import type { Scope } from '@webfarer/protocol/url';
import type { Frontier, KnownUrl, UrlPage } from '../frontier/frontier.ts';
import { malformed } from '../frontier/url-search.ts';
import { eachInTurns } from '../frontier/turns.ts';
import { scopeRefusal } from './scope-refusal.ts';

export interface ScopePreviewOptions {
  frontier: Pick<Frontier, 'urls'>;
  crawl: CrawlId;
  /** The one that might be put in force. */
  scope: Scope;
  /** `next` of the step before; '' for the first. */
  after: string;
  clock: Clock;
}

/** What a setting or a pattern of a scope would keep out. */
export interface ScopeRuleCount {
  reason: DroppedReason;
  rule: string;
  urls: number;
  /** The first of them. */
  examples: string[];
}

/** What one step of a preview found: counts of this step alone. */
export interface ScopePreviewStep {
  /** Queued URLs that are out of this scope. */
  dropped: number;
  /** URLs that an earlier scope refused and that are in this one. */
  restored: number;
  restoredExamples: string[];
  rules: ScopeRuleCount[];
  /** URLs of `dropped` under rules that are not among `rules`. */
  otherRules: number;
  /** URLs that were judged: all that are queued, and all that an earlier scope refused. */
  looked: { queued: number; refused: number };
  /** Where the next step begins; undefined: all was looked at. */
  next: string | undefined;
}

/** URLs that are read before others have a turn, and such reads that one step takes. */
const readAtOnce = 1_000;
const readsAStep = 20;
/** Patterns may be slow: no further read after so long. */
const stepMs = 500;
const mostRules = 40;
const mostExamples = 3;
/** A rule names all patterns of a list. */
const mostRuleChars = 300;

/** The two lists that a sweep looks through (scope-sweep.ts), in its order. */
const parts = { q: { state: 'queued' }, r: { reason: 'scope' } } as const;
type Part = keyof typeof parts;

/**
 * One bounded step of finding out what another scope would do to the URLs of a crawl, without doing it: the URLs that a sweep
 * would look at, judged by the same decision. On a crawl that does not move, the sum of all steps is what the sweep does.
 */
export async function scopePreviewStep(options: ScopePreviewOptions): Promise<ScopePreviewStep> {
  const { frontier, crawl, clock, scope } = options;
  const findings = collectFindings(scope);
  const endsAtMs = clock.now() + stepMs;
  let at: Place | undefined = placeIn(options.after);
  for (let reads = 0; reads < readsAStep && at && (reads === 0 || clock.now() < endsAtMs); reads++) {
    const { part, after }: Place = at;
    const page: UrlPage = await frontier.urls(crawl, { filter: parts[part], after, limit: readAtOnce });
    if (part === 'q') await findings.addQueued(page);
    else await findings.addRefused(page);
    at = page.next === undefined ? following(part) : { part, after: page.next };
  }
  return { ...findings.found(), next: at && `${at.part}${at.after}` };
}

function collectFindings(scope: Scope) {
  const looked = { queued: 0, refused: 0 };
  const rules = new Map<string, ScopeRuleCount>();
  const restoredExamples: string[] = [];
  let [dropped, restored, otherRules] = [0, 0, 0];

  function drop(known: KnownUrl): void {
    const { url, refusal } = judged(scope, known);
    if (!refusal) return;
    dropped++;
    const rule = (refusal.rule ?? refusal.reason).slice(0, mostRuleChars).toWellFormed();
    const key = `${refusal.reason} ${rule}`;
    const counted = rules.get(key) ?? { reason: refusal.reason, rule, urls: 0, examples: [] };
    if (!rules.has(key) && rules.size >= mostRules) {
      otherRules++;
      return;
    }
    rules.set(key, counted);
    counted.urls++;
    if (counted.examples.length < mostExamples) counted.examples.push(url);
  }

  function restore(known: KnownUrl): void {
    const { url, refusal } = judged(scope, known);
    if (refusal) return;
    restored++;
    if (restoredExamples.length < mostExamples) restoredExamples.push(url);
  }

  return {
    async addQueued({ urls }: UrlPage) {
      looked.queued += urls.length;
      await eachInTurns(urls, drop);
    },
    async addRefused({ urls }: UrlPage) {
      looked.refused += urls.length;
      await eachInTurns(urls, restore);
    },
    found: () => ({ dropped, restored, restoredExamples, rules: [...rules.values()], otherRules, looked }),
  };
}

function judged(scope: Scope, known: KnownUrl) {
  const url = 'entry' in known ? known.entry : known.record;
  return { url: url.url, refusal: scopeRefusal(scope, url) };
}

interface Place {
  part: Part;
  after: string;
}

const following = (part: Part): Place | undefined => (part === 'q' ? { part: 'r', after: '' } : undefined);

function placeIn(after: string): Place {
  if (after === '') return { part: 'q', after };
  const part = after[0] as Part;
  if (!Object.hasOwn(parts, part)) throw malformed();
  return { part, after: after.slice(1) };
}
