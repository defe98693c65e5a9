import type { Part } from './parts.ts';
import { type Plan, turns } from './plan.ts';
import { type Seconds, weightOf } from './seconds.ts';

const kinds = { proof: 'proofs', bench: 'benches', test: 'test files' } as const;

/** The selection for people: a summary, then each part that runs with its reason, then what does not. */
export function planText({ turn, whole, chosen, left }: Plan, seconds: Seconds): string {
  const cost = (parts: readonly Part[]) =>
    Math.round(parts.reduce((sum, { id }) => sum + weightOf(seconds[id]), 0));
  const all = [...chosen.keys()];
  const counts = Object.entries(kinds).map(([kind, words]) => {
    const of = (parts: readonly Part[]) => parts.filter((part) => part.kind === kind);
    const [some, none] = [of(all), of(left)];
    const took = Object.keys(seconds).length === 0 ? '' : `, ${cost(some)} of ${cost([...some, ...none])} s`;
    return `${some.length} of ${some.length + none.length} ${words}${took}`;
  });
  const summary = [
    whole === undefined
      ? `selected by .ci/proven; quarter ${turn + 1} of ${turns} is first in turn`
      : `everything runs: ${whole}`,
    ...counts.map((line) => `  ${line}`),
  ];
  const reasons = all.map((part) => `${part.id}  (${chosen.get(part)})`);
  return [
    summary.join('\n'),
    reasons.join('\n'),
    ['left out:', ...left.map(({ id }) => id)].join('\n'),
    '',
  ].join('\n\n');
}
