import type { ScopePreview } from '@webfarer/protocol/api';

export interface RuleSum {
  reason: string;
  rule: string;
  urls: number;
  examples: string[];
}

/** What all steps of a preview have found so far. */
export interface PreviewSum {
  dropped: number;
  restored: number;
  restoredExamples: string[];
  /** Most URLs first. */
  rules: RuleSum[];
  otherRules: number;
  looked: { queued: number; refused: number };
  isWhole: boolean;
}

export const emptySum: PreviewSum = {
  dropped: 0,
  restored: 0,
  restoredExamples: [],
  rules: [],
  otherRules: 0,
  looked: { queued: 0, refused: 0 },
  isWhole: false,
};

const mostRules = 60;
const mostExamples = 5;

/** Adds the answer of one step. Rules beyond what a screen can show are counted together. */
export function addStep(sum: PreviewSum, step: ScopePreview): PreviewSum {
  const rules = new Map(sum.rules.map((rule) => [`${rule.reason} ${rule.rule}`, rule]));
  let { otherRules } = sum;
  otherRules += step.otherRules;
  for (const found of step.rules) {
    const key = `${found.reason} ${found.rule}`;
    const before = rules.get(key);
    if (!before && rules.size >= mostRules) {
      otherRules += found.urls;
      continue;
    }
    const examples = [...(before?.examples ?? []), ...found.examples].slice(0, mostExamples);
    rules.set(key, { ...found, urls: (before?.urls ?? 0) + found.urls, examples });
  }
  return {
    dropped: sum.dropped + step.dropped,
    restored: sum.restored + step.restored,
    restoredExamples: [...sum.restoredExamples, ...step.restoredExamples].slice(0, mostExamples),
    rules: [...rules.values()].toSorted((a, b) => b.urls - a.urls),
    otherRules,
    looked: {
      queued: sum.looked.queued + step.looked.queued,
      refused: sum.looked.refused + step.looked.refused,
    },
    isWhole: step.next === undefined,
  };
}
