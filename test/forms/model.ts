import { type FormKind, formKinds } from '../../packages/worker/src/forms/form.ts';
import { factsOf, type Weights } from '../../packages/worker/src/forms/form-kind.ts';
import { readForms } from '../../packages/worker/src/forms/read-forms.ts';
import { readTree } from '../../packages/worker/src/tree/tree.ts';
import type { AnnotatedPage } from './corpus.ts';

/** A form that people said the kind of, as the facts that the model sees. */
export interface Example {
  site: string;
  kind: FormKind;
  facts: ReadonlySet<string>;
}

export function examplesOf(pages: readonly AnnotatedPage[]): Example[] {
  return pages.flatMap(({ url, html, site, forms }) => {
    const found = readForms(readTree(html, { xml: false }));
    // Which annotation means which form is only sure where all of them were read.
    if (found.forms.length !== forms.length) return [];
    return forms.flatMap(({ kind }, at) => {
      const form = found.forms[at];
      if (kind === undefined || form === undefined) return [];
      return [{ site, kind, facts: factsOf(form, { url, title: found.title }) }];
    });
  });
}

export interface Training {
  rounds: number;
  rate: number;
  /** Pulls weights towards 0, so that rare facts say little. */
  decay: number;
  /** Facts seen fewer times are left out. */
  leastSeen: number;
  /** Weights smaller than this are left out. */
  leastWeight: number;
}

export const training: Training = { rounds: 600, rate: 0.5, decay: 0.004, leastSeen: 4, leastWeight: 0.05 };

/** Logistic regression over all kinds, by plain gradient descent from zero: the same weights on every run. */
export function train(examples: readonly Example[], how: Training = training): Weights {
  const names = namesOf(examples, how.leastSeen);
  const index = new Map(names.map((name, at) => [name, at]));
  const rows = examples.map(({ facts }) =>
    [...facts].flatMap((fact) => index.get(fact) ?? []).toSorted((a, b) => a - b),
  );
  const targets = examples.map(({ kind }) => formKinds.indexOf(kind));
  const weights = formKinds.map(() => new Float64Array(names.length));
  const slopes = formKinds.map(() => new Float64Array(names.length));
  for (let round = 0; round < how.rounds; round++) {
    for (const slope of slopes) slope.fill(0);
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at] as number[];
      const chances = chancesOf(row, weights);
      for (let kind = 0; kind < chances.length; kind++) {
        const off = ((chances[kind] as number) - (targets[at] === kind ? 1 : 0)) / rows.length;
        const slope = slopes[kind] as Float64Array;
        for (const fact of row) (slope[fact] as number) += off;
      }
    }
    for (let kind = 0; kind < weights.length; kind++)
      descend(weights[kind] as Float64Array, slopes[kind] as Float64Array);
  }
  return Object.fromEntries(
    formKinds.map((kind, at) => [kind, roundedWeights(names, weights[at] as Float64Array, how.leastWeight)]),
  ) as unknown as Weights;

  function descend(own: Float64Array, slope: Float64Array): void {
    for (let fact = 0; fact < own.length; fact++)
      (own[fact] as number) -= how.rate * ((slope[fact] as number) + how.decay * (own[fact] as number));
  }
}

function namesOf(examples: readonly Example[], leastSeen: number): string[] {
  const seen = new Map<string, number>();
  for (const { facts } of examples) for (const fact of facts) seen.set(fact, (seen.get(fact) ?? 0) + 1);
  return [...seen]
    .filter(([, count]) => count >= leastSeen)
    .map(([name]) => name)
    .toSorted();
}

function chancesOf(row: readonly number[], weights: readonly Float64Array[]): number[] {
  const sums = weights.map((own) => {
    let sum = 0;
    for (const fact of row) sum += own[fact] as number;
    return sum;
  });
  const top = Math.max(...sums);
  const parts = sums.map((sum) => Math.exp(sum - top));
  const total = parts.reduce((all, part) => all + part, 0);
  return parts.map((part) => part / total);
}

function roundedWeights(names: readonly string[], own: Float64Array, least: number): Record<string, number> {
  return Object.fromEntries(
    names
      .map((name, at) => [name, Number((own[at] ?? 0).toFixed(2))] as const)
      .filter(([, weight]) => Math.abs(weight) >= least),
  );
}
