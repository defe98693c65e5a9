import { type HostKey, type Url, WebfarerError } from '@webfarer/protocol';
import type { PageStep, StepRule } from '@webfarer/protocol/job';
import { hostOf, patternMatcher, siteOf } from '@webfarer/protocol/url';
import type { ReadyStep } from '../browser/steps/step.ts';

export interface StepChooserOptions {
  rules: readonly StepRule[];
  seedHosts: readonly HostKey[];
  /** A variable of this machine's environment. */
  typedText: (name: string) => string | undefined;
}

/** A shorter one would be found on every page, and could not be kept out of what is recorded. */
const leastSecret = 4;

/** What is done on a page: the steps of all rules that fit its URL, in the order of the job. */
export function stepChooser({
  rules,
  seedHosts,
  typedText,
}: StepChooserOptions): (url: Url) => readonly ReadyStep[] {
  const none: readonly ReadyStep[] = [];
  if (rules.length === 0) return () => none;
  const sites = new Set(seedHosts.map(siteOf));
  const compiled = rules.map(({ pages, steps }) => {
    const patterns = pages?.map((pattern) => patternMatcher(pattern, seedHosts));
    const ready = steps.map((step) => readyStep(step, typedText));
    // What opens an account is shown to the sites that the job is about, and to no other.
    const isPrivate = ready.some(({ action }) => action.kind === 'type' && action.secret);
    const fits = (url: Url): boolean =>
      (patterns?.some((matches) => matches(url)) ?? true) && (!isPrivate || sites.has(siteOf(hostOf(url))));
    return { ready, fits };
  });
  return (url) => compiled.flatMap(({ ready, fits }) => (fits(url) ? ready : []));
}

function readyStep({ action, ...step }: PageStep, typedText: StepChooserOptions['typedText']): ReadyStep {
  if (action.kind !== 'type') return { ...step, action };
  const { kind, into, from } = action;
  if ('text' in from) return { ...step, action: { kind, into, text: from.text, secret: false } };
  const text = typedText(from.env) ?? '';
  if (text.length >= leastSecret) return { ...step, action: { kind, into, text, secret: true } };
  const problem = text === '' ? 'is not set' : `is shorter than ${leastSecret} characters`;
  throw new WebfarerError('usage', `${step.at} types what ${from.env} holds, which ${problem} here`, {
    next: 'Set it in the environment of the program that fetches, on each machine that does.',
  });
}
