import { z } from 'zod';

/** Who set a rule, and when. */
const set = {
  by: z.string().min(1).max(200).describe('Who set it'),
  atMs: z.number().min(0).describe('When it was set, in milliseconds since 1970'),
  byAdmin: z.literal(true).optional().describe('Set by an admin: only admins can change or delete it'),
};

export const hostRuleSchema = z.object({
  gapMs: z
    .number()
    .min(0)
    .max(31 * 86_400_000)
    .optional()
    .describe('Pause between two requests, where it is longer than the job and robots.txt ask for'),
  block: z.boolean().optional().describe('true: request nothing; false: an exception to a wider rule'),
  note: z.string().max(2_000).optional().describe('Why, for other operators'),
  ...set,
});

export const optOutSchema = z.object({
  reason: z.string().min(1).max(2_000).describe('What the owner of the site wrote'),
  contact: z.string().min(1).max(500).describe('How to reach the owner'),
  date: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/)
    .describe('Day of the request: 2026-11-16'),
  ...set,
});

/** What an operator wants for the hosts that fit a pattern, in the crawls of its team, or an admin in all crawls. */
export type HostRule = z.infer<typeof hostRuleSchema>;
/** The owner of a site does not want its hosts to be contacted. */
export type OptOut = z.infer<typeof optOutSchema>;

/** A rule as it was kept; undefined: it is malformed. */
export function readHostRule(value: unknown): HostRule | undefined {
  return hostRuleSchema.safeParse(value).data;
}

/** An opt-out as it was kept. One that is malformed still stands: nobody may be crawled because of a lost word. */
export function readOptOut(value: unknown): OptOut {
  const { data } = optOutSchema.safeParse(value);
  return data ?? { reason: 'not recorded', contact: 'unknown', date: '1970-01-01', by: 'unknown', atMs: 0 };
}
