import { z } from 'zod';
import { teamName } from '../job/values.ts';
import { pageOf, paging, route } from './route.ts';

const family = 'teams';

const params = z.strictObject({ team: teamName.describe('The name of the team') });
const amount = z.int().min(0).optional();

/**
 * For a team without numbers of its own, so that no team takes the memory of a coordinator from the others: it takes 1 MB for
 * a crawl that waits and seven times the bytes of its seeds, about 540 MB in all for a team that has what it may have.
 */
export const defaultQuotas = { crawls: 400, seedBytes: 20_000_000 };

const quotas = z
  .strictObject({
    crawls: amount.describe(`Crawls that are not over; ${defaultQuotas.crawls} where absent`),
    seedBytes: amount.describe(
      `Bytes of the seeds of those crawls, as written in their jobs; ${defaultQuotas.seedBytes} where absent`,
    ),
    pagesPerDay: amount.describe(
      'Pages fetched in a day (UTC); its crawls pause when it is used up, so it is exceeded by what is in flight then',
    ),
    pagesPerMonth: amount.describe('Pages fetched in a month (UTC), in the same way'),
    bytesPerDay: amount.describe('Bytes of bodies received in a day (UTC), in the same way'),
    bytesPerMonth: amount.describe('Bytes of bodies received in a month (UTC), in the same way'),
  })
  .meta({ id: 'TeamQuotas', description: 'An absent quota means none, or its default' });

const about = {
  note: z.string().max(1000),
  weight: z
    .number()
    .min(0.01)
    .max(1000)
    .describe('How much of the workers the crawls of the team get, beside those of other teams'),
  quotas,
};

const team = z
  .object({ name: z.string(), version: z.int().describe('Changes with every change of the team'), ...about })
  .meta({ id: 'Team' });

const fetched = z.int().optional().describe('Absent: not counted, because no quota needs it');

const used = z
  .object({
    crawls: z.int().describe('Crawls that are not over'),
    seedBytes: z.int().describe('Bytes of their seeds'),
    pagesToday: fetched,
    pagesThisMonth: fetched,
    bytesToday: fetched,
    bytesThisMonth: fetched,
  })
  .meta({ id: 'TeamUse', description: 'What the crawls of the team have used, deleted ones included' });

/** `inForce`: its own quotas, and defaults where it has none. */
const detail = team.extend({ inForce: quotas, used }).meta({
  id: 'TeamDetail',
  description: 'A team with version 0 has no weight or quotas of its own: the defaults in `inForce` hold',
});

export const teamRoutes = {
  listTeams: route({
    method: 'GET',
    path: '/v1/teams',
    scope: 'admin',
    family,
    summary: 'List the teams that have a weight or quotas of their own',
    query: z.strictObject(paging),
    answer: { kind: 'json', status: 200, schema: pageOf(team) },
  }),
  getTeam: route({
    method: 'GET',
    path: '/v1/teams/{team}',
    scope: 'viewer',
    family,
    summary: 'Show a team, the quotas in force and what it has used; the own team, or any for an admin',
    params,
    answer: { kind: 'json', status: 200, schema: detail },
  }),
  putTeam: route({
    method: 'PUT',
    path: '/v1/teams/{team}',
    scope: 'admin',
    family,
    summary: 'Set the weight and quotas of a team',
    params,
    body: z.strictObject({
      note: about.note.default(''),
      weight: about.weight.default(1),
      quotas: quotas.default({}),
      version: z
        .int()
        .min(0)
        .optional()
        .describe('Only if the team still has this version, 0 if it is new; else the answer is 409'),
    }),
    answer: { kind: 'json', status: 200, schema: team },
  }),
  deleteTeam: route({
    method: 'DELETE',
    path: '/v1/teams/{team}',
    scope: 'admin',
    family,
    summary: 'Remove the weight and quotas of a team; its crawls and tokens stay',
    params,
    answer: { kind: 'none' },
  }),
};
