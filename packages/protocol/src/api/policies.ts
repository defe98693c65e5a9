import { z } from 'zod';
import { policyName, policySchema } from '../job/schema.ts';
import { teamName } from '../job/values.ts';
import { pageOf, paging, route } from './route.ts';

const family = 'policies';

const params = z.strictObject({ policy: policyName.describe('The name of the policy') });
const number = z.int().min(1);
const note = z.string().max(1000);

/** What a policy says, as it was written. Checked as a job is, with the same words for what is wrong. */
const policyText = z
  .record(z.string(), z.unknown())
  .meta({ id: 'PolicyText', description: `Fields of a job: ${Object.keys(policySchema.shape).join(', ')}` });

const policyVersion = z
  .object({
    name: z.string(),
    version: number.describe('Counts from 1. A name and a version stand for one text, which never changes'),
    team: z.string().describe('Whose operators may write it'),
    users: z
      .array(z.string())
      .describe('Other teams that may use its headers and the settings of an admin in it; * for all'),
    byAdmin: z.boolean().describe('Written by an admin: only then it lends settings that need an admin'),
    createdAtMs: z.int().describe('Milliseconds since 1970'),
    by: z.string().describe('The id of the token that wrote it'),
    note: z.string(),
    policy: policyText,
  })
  .meta({ id: 'Policy' });

export const policyRoutes = {
  listPolicies: route({
    method: 'GET',
    path: '/v1/policies',
    scope: 'viewer',
    family,
    summary: 'List policies by name, each in its latest version',
    query: z.strictObject(paging),
    answer: { kind: 'json', status: 200, schema: pageOf(policyVersion) },
  }),
  getPolicy: route({
    method: 'GET',
    path: '/v1/policies/{policy}',
    scope: 'viewer',
    family,
    summary: 'Show a policy, in its latest version or another',
    params,
    query: z.strictObject({ version: number.optional().describe('The latest when absent') }),
    answer: { kind: 'json', status: 200, schema: policyVersion },
  }),
  listPolicyVersions: route({
    method: 'GET',
    path: '/v1/policies/{policy}/versions',
    scope: 'viewer',
    family,
    summary: 'List all versions of a policy, the first one first',
    params,
    query: z.strictObject(paging),
    answer: { kind: 'json', status: 200, schema: pageOf(policyVersion) },
  }),
  putPolicy: route({
    method: 'PUT',
    path: '/v1/policies/{policy}',
    scope: 'operator',
    family,
    summary: 'Create a policy, or its next version; crawls keep the version they were created with',
    params,
    body: z.strictObject({
      policy: policyText,
      note: note.default('').describe('What was changed, and why'),
      users: z
        .array(z.union([z.literal('*'), teamName]))
        .max(1000)
        .optional()
        .describe(
          'Other teams that may use its headers and the settings of an admin in it; as before when absent',
        ),
      latest: z
        .int()
        .min(0)
        .optional()
        .describe('Only if this is still the latest version, 0 for a new policy; else the answer is 409'),
    }),
    refusals: ['quota'],
    answer: { kind: 'json', status: 200, schema: policyVersion },
  }),
  deletePolicy: route({
    method: 'DELETE',
    path: '/v1/policies/{policy}',
    scope: 'operator',
    family,
    summary: 'Stop offering a policy; its versions stay readable, and crawls keep their copies',
    params,
    answer: { kind: 'none' },
  }),
};
