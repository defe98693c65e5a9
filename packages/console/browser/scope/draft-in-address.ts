import type { Stay } from '@webfarer/protocol/job';

/** The scope of a job as a form shows it: patterns as lines of text, an empty limit is none. */
export interface ScopeDraft {
  stay: Stay;
  include: string;
  exclude: string;
  requisites: boolean;
  depth: number | '';
  cost: number | '';
}

export const scopeFields = ['stay', 'include', 'exclude', 'requisites', 'depth', 'cost'] as const;
export type ScopeField = (typeof scopeFields)[number];

const stays: readonly Stay[] = ['path', 'host', 'site', 'web'];
const mostChars = 20_000;

/** The fields of a draft that an address has, as far as they can be ones: anybody can write an address. */
export function draftIn(given: unknown): Partial<ScopeDraft> {
  if (typeof given !== 'object' || given === null) return {};
  const { stay, include, exclude, requisites, depth, cost } = given as Record<string, unknown>;
  const known = stays.find((each) => each === stay);
  return {
    ...(known ? { stay: known } : {}),
    ...(isText(include) ? { include } : {}),
    ...(isText(exclude) ? { exclude } : {}),
    ...(typeof requisites === 'boolean' ? { requisites } : {}),
    ...(isLimit(depth) ? { depth } : {}),
    ...(isLimit(cost) ? { cost } : {}),
  };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= mostChars;
const isLimit = (value: unknown): value is number | '' =>
  value === '' || (typeof value === 'number' && Number.isFinite(value) && value >= 0);
