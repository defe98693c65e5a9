/** In the order in which a person wants to hear of them. */
export const comparedKinds = ['new', 'changed', 'gone', 'unclear', 'unchanged'] as const;
export type ComparedKind = (typeof comparedKinds)[number];

/** What two crawls say of one URL; undefined: nothing. */
export interface Compared {
  now:
    | {
        isPage: boolean;
        /** It was answered, or it was as in the crawl before. */
        isContent: boolean;
        /** It was answered, if only by a redirect or an error. */
        isSettled: boolean;
        digest: string | undefined;
        /** What a recrawl found when it fetched the page. */
        change: string | undefined;
        /** Why it is no page, in words. */
        why: string;
      }
    | undefined;
  before: { isPage: boolean; digest: string | undefined } | undefined;
}

export interface ComparisonFacts {
  /** The later crawl is over and all of it can be read: what is not found was not there. */
  isNowWhole: boolean;
  /** All results of the earlier crawl can be read. */
  isBeforeWhole: boolean;
  /** The later crawl was compared with the earlier one while it ran. */
  isRecrawl: boolean;
}

export interface Judgement {
  kind: ComparedKind;
  why?: string;
  /** Which of the two crawls has the page: sums over both add up to their pages. */
  inNow: boolean;
  inBefore: boolean;
}

/** What became of a page, by the rules of `webfarer report --compare`; undefined: it was none, then and now. */
export function judge({ now, before }: Compared, facts: ComparisonFacts): Judgement | undefined {
  if (now?.isPage) {
    const both = { inNow: true, inBefore: before !== undefined };
    if (!before && facts.isBeforeWhole) return { kind: 'new', ...both };
    if (!before) return { kind: 'unclear', why: 'results of the earlier crawl are out of reach', ...both };
    if (facts.isRecrawl && (now.change === 'changed' || now.change === 'unchanged'))
      return { kind: now.change, ...both };
    if (now.digest === undefined || before.digest === undefined)
      return { kind: 'unclear', why: 'a digest is missing', ...both };
    return { kind: now.digest === before.digest ? 'unchanged' : 'changed', ...both };
  }
  if (!before?.isPage) return undefined;
  const then = { inNow: false, inBefore: true };
  if (!now && facts.isNowWhole) return { kind: 'gone', why: 'no longer linked', ...then };
  if (!now) return { kind: 'unclear', why: 'not reached', ...then };
  if (now.isContent) return { kind: 'unclear', why: 'read as something other than a page', ...then };
  return { kind: now.isSettled ? 'gone' : 'unclear', why: now.why, ...then };
}
