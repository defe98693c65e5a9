import { z } from 'zod';
import { resourceFrame } from '../resources/resource-frame.ts';
import { resolutions } from '../resources/resource-history.ts';
import { resourceSeries, type SeriesName, seriesNames } from '../resources/resource-series.ts';
import { route } from './route.ts';

const family = 'resources';

const machineFrame = z
  .object({
    kind: z.enum(['coordinator', 'worker']),
    id: z.string(),
    atMs: z.int().describe('Milliseconds since 1970, by the clock of the coordinator that answers'),
    frame: resourceFrame.meta({ id: 'ResourceFrame' }),
  })
  .meta({ id: 'MachineFrame' });
export type ApiMachineFrame = z.infer<typeof machineFrame>;

const column = z.array(z.number().nullable());

const series = z.object(
  Object.fromEntries(
    seriesNames.map((name) => [name, column.describe(resourceSeries[name].meaning)]),
  ) as Record<SeriesName, typeof column>,
);

const history = z
  .object({
    resolutionMs: z.int(),
    atMs: z.array(z.int()).describe('Milliseconds since 1970, oldest first'),
    series: series.describe('One value for each moment; null where it is unknown'),
    cores: z.array(column).describe('Busy share of each core, 0 to 1'),
    disks: z.array(column).describe('Free bytes of each disk, in the order of the latest frame'),
  })
  .meta({ id: 'ResourceHistory' });

const query = z.strictObject({
  resolution: z
    .enum(Object.keys(resolutions) as [keyof typeof resolutions])
    .default('1s')
    .describe('1s: the last hour by seconds. 30s: the last day by half minutes'),
  sinceMs: z.number().min(0).default(0).describe('Only moments later than this'),
});
const id = z.string().min(1).max(300);
const answer = { kind: 'json', status: 200, schema: history } as const;

const profile = z
  .object({
    tookMs: z.int(),
    samples: z.int().describe('Looks at what was running'),
    idle: z.number().describe('Of the time, the share in which nothing ran'),
    functions: z
      .array(
        z.object({
          name: z.string(),
          file: z.string().describe('Empty for what is a part of the runtime'),
          line: z.int(),
          ownMs: z.number().describe('In the function itself'),
          totalMs: z.number().describe('With everything that it called'),
        }),
      )
      .describe('Those that ran longest themselves come first'),
  })
  .meta({ id: 'CpuProfile' });

export const resourceRoutes = {
  profileCoordinator: route({
    method: 'GET',
    path: '/v1/profile',
    scope: 'admin',
    family,
    summary: 'Watch for some seconds which functions of the coordinator that answers take the time',
    query: z.strictObject({
      seconds: z.number().min(0.1).max(10).default(5),
      top: z.int().min(1).max(500).default(30).describe('The most functions to answer'),
    }),
    refusals: ['conflict'],
    answer: { kind: 'json', status: 200, schema: profile },
  }),
  getResources: route({
    method: 'GET',
    path: '/v1/resources',
    scope: 'viewer',
    family,
    summary: 'Show what this coordinator and each of its workers use now',
    answer: {
      kind: 'json',
      status: 200,
      schema: z.object({ machines: z.array(machineFrame) }).meta({ id: 'Resources' }),
    },
  }),
  getWorkerResources: route({
    method: 'GET',
    path: '/v1/workers/{worker}/resources',
    scope: 'viewer',
    family,
    summary: 'Show what a worker used lately, as this coordinator saw it',
    params: z.strictObject({ worker: id.describe('The id of the worker') }),
    query,
    answer,
  }),
  getCoordinatorResources: route({
    method: 'GET',
    path: '/v1/coordinators/{coordinator}/resources',
    scope: 'viewer',
    family,
    summary: 'Show what the coordinator that answers used lately',
    params: z.strictObject({ coordinator: id.describe('The id of the coordinator') }),
    query,
    answer,
  }),
};
