import type { JobInput } from '@webfarer/protocol';

/** A job that a coordinator must refuse, and does so at once. */
export interface RefusedJob {
  name: string;
  job: unknown;
  /** Part of the answer. */
  says: RegExp;
}

const slow = { regex: '(a+)+\\1$', flags: 'i' };
const linear = /linear time/;

/** Wherever a job may have an expression. */
const places: Record<string, Partial<JobInput> | Record<string, unknown>> = {
  include: { scope: { include: [slow] } },
  exclude: { scope: { exclude: [slow] } },
  'rule-match': { urlRules: [{ match: slow, cost: 1 }] },
  'rule-unless': { urlRules: [{ unless: slow, cost: 1 }] },
  labels: { labels: { x: slow } },
  follow: { scraper: { links: { follow: [slow] } } },
  ids: { scraper: { ids: { find: '(a+)+\\1', template: 'http://127.4.0.1/{id}' } } },
  'extract-pages': { extract: [{ pages: slow, fields: { a: 'p' } }] },
  'extract-field': { extract: [{ fields: { a: { regex: '(a+)+\\1' } } }] },
  files: { files: { types: ['pdf'], from: slow } },
  proxy: { fetch: { proxy: [{ match: slow, use: 'direct' }] } },
  login: { login: [{ site: '127.4.0.1', as: 'a', check: { url: slow } }] },
  render: { render: [{ match: slow }] },
  steps: { steps: [{ pages: slow, do: [{ scroll: 'end' }] }] },
};

/** What no engine here runs in a time that grows with the text alone. */
const constructs: Record<string, [regex: string, says: RegExp]> = {
  reference: ['(a+)\\1$', linear],
  'named-reference': ['(?<x>a+)\\k<x>$', linear],
  lookahead: ['(?=(a+)+$)b', linear],
  'not-ahead': ['(?!(a+)+$)b', linear],
  lookbehind: ['(?<=(a+)+)b', linear],
  'not-behind': ['(?<!(a+)+)b', linear],
  'counts-of-counts': ['((a{900}){900}){900}', /the most|counts/],
  'count-too-high': ['a{100000}b', /the most|counts/],
  'too-long': ['a|'.repeat(1_500), /the most/],
};

const inScope = (pattern: unknown): unknown => ({ scope: { exclude: [pattern] } });

/** Each is short; to make all of them would take half a minute. */
const many = Array.from({ length: 15_000 }, (_, n) => ({ regex: `(?:a|b|ab|aab|[^c]a){140}${n}$` }));

export const refusedJobs: readonly RefusedJob[] = [
  { name: 'too many', job: { scope: { exclude: many } }, says: /100 are the most/ },
  ...Object.entries(places).map(([name, job]) => ({ name: `in ${name}`, job, says: linear })),
  ...Object.entries(constructs).flatMap(([name, [regex, says]]) =>
    [undefined, 'i'].map((flags) => ({
      name: flags === undefined ? name : `${name} with ${flags}`,
      job: inScope({ regex, ...(flags === undefined ? {} : { flags }) }),
      says,
    })),
  ),
  ...['g', 'm', 's', 'u', 'v', 'y', 'd', 'ii'].map((flags) => ({
    name: `flag ${flags}`,
    job: inScope({ regex: '(a+)+$', flags }),
    says: /flags/,
  })),
];
