import { redact } from '../url/secrets.ts';
import { tooManyExpressions } from './checks.ts';
import { type JobProblem, problemsOf } from './problems.ts';
import { type PolicyInput, policySchema } from './schema.ts';

/** A policy that a job names; without a version, the latest. */
export interface PolicyRef {
  name: string;
  version?: number;
}

/** The policy that a job names and whose fields are not in it yet. */
export function policyIn(input: unknown): PolicyRef | undefined {
  if (!isFields(input) || typeof input['policy'] !== 'string') return undefined;
  const [name = '', version] = input['policy'].split('@');
  return version === undefined ? { name } : { name, version: Number(version) };
}

/** Checks the text of a policy. It is kept as it was written: defaults are those of the version that crawls. */
export function checkPolicy(
  input: unknown,
): { ok: true; policy: PolicyInput } | { ok: false; problems: JobProblem[] } {
  const many = tooManyExpressions(input);
  if (many.length > 0) return { ok: false, problems: many };
  const parsed = policySchema.safeParse(input);
  if (!parsed.success) return { ok: false, problems: problemsOf(parsed.error, input) };
  const policy = input as PolicyInput;
  const problems = (policy.fetch?.proxy ?? []).flatMap(({ use }, i): JobProblem[] =>
    redact(use) === use
      ? []
      : [
          {
            path: ['fetch', 'proxy', i, 'use'],
            message: 'a policy is kept as it is, so it holds no password',
          },
        ],
  );
  return problems.length > 0 ? { ok: false, problems } : { ok: true, policy };
}

/** The job with the fields of a policy. What the job says itself wins, field by field; a list is one field. */
export function withPolicy(input: unknown, ref: Required<PolicyRef>, policy: PolicyInput): unknown {
  if (!isFields(input)) return input;
  const { policy: _named, ...job } = input;
  return {
    ...(over(policy, job) as Record<string, unknown>),
    policy: { name: ref.name, version: ref.version },
  };
}

function over(below: unknown, above: unknown): unknown {
  if (above === undefined) return below;
  if (!isFields(below) || !isFields(above)) return above;
  const merged = new Map(Object.entries(below));
  for (const [key, value] of Object.entries(above)) merged.set(key, over(merged.get(key), value));
  return Object.fromEntries(merged);
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
