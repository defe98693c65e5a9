import { type JobInput, WebfarerError } from '@webfarer/protocol';

/** A job as a program writes it: where a job file has `{ regex: … }`, an expression itself will do. */
export type WithRegExps<T> = T extends { regex: string }
  ? T | RegExp
  : T extends readonly (infer Item)[]
    ? WithRegExps<Item>[]
    : T extends object
      ? { [K in keyof T]: WithRegExps<T[K]> }
      : T;

/** The same job as a job file would have it, so that it can be stored. */
export function withoutRegExps(job: WithRegExps<JobInput>): JobInput {
  return plain(job) as JobInput;
}

function plain(value: unknown): unknown {
  if (value instanceof RegExp) return asPattern(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}

function asPattern(expression: RegExp): { regex: string; flags?: 'i' } {
  const { source, flags } = expression;
  if (flags !== '' && flags !== 'i')
    throw new WebfarerError(
      'job-invalid',
      `The job has the expression ${expression}, whose flags cannot be stored.`,
      {
        next: 'Use an expression without flags, or with the flag i.',
      },
    );
  return flags === 'i' ? { regex: source, flags } : { regex: source };
}
