import { z } from 'zod';
import { route } from './route.ts';

const cordon = z
  .enum(['active', 'cordoned', 'draining'])
  .describe('cordoned: takes nothing new. draining: also gives away what it has');
const count = z.int().min(0);
const id = z
  .string()
  .max(300)
  .regex(/^[^\p{C}/]+$/u);

const worker = z
  .object({
    worker: z.string(),
    trust: z.string(),
    address: z.string(),
    version: z.string(),
    cordon,
    connections: count.describe('Hosts it can fetch from at once'),
    held: count.describe('Hosts it holds now'),
    hungry: z.boolean().describe('It could take more than there was when it last asked'),
    linkedMs: z.int().describe('For how long it has been connected'),
    pause: z.object({ cause: z.string(), text: z.string(), retryInMs: z.int().optional() }).optional(),
    pages: count.describe('Outcomes it brought since this coordinator started'),
    pagesPerSecond: z.number(),
  })
  .meta({ id: 'Worker' });

const coordinator = z
  .object({
    id: z.string(),
    url: z.string(),
    cordon,
    capacity: z.number(),
    workers: count,
    hosts: count.describe('Hosts that its workers hold'),
    wants: count.describe('Workers that it has something to do for'),
    leaving: z.boolean(),
  })
  .meta({ id: 'Coordinator' });

const decided = {
  kind: 'json',
  status: 200,
  schema: z.object({ id: z.string(), cordon }).meta({ id: 'Cordon' }),
} as const;

const workerParams = z.strictObject({ worker: id.describe('The id of the worker') });
const coordinatorParams = z.strictObject({ coordinator: id.describe('The id of the coordinator') });

export const workerRoutes = {
  listWorkers: route({
    method: 'GET',
    path: '/v1/workers',
    scope: 'viewer',
    family: 'workers',
    summary: 'List the workers that are connected to this coordinator',
    answer: {
      kind: 'json',
      status: 200,
      schema: z.object({ items: z.array(worker) }).meta({ id: 'Workers' }),
    },
  }),
  cordonWorker: route({
    method: 'POST',
    path: '/v1/workers/{worker}/cordon',
    scope: 'admin',
    family: 'workers',
    summary: 'Give a worker no new hosts; it keeps and finishes what it has',
    params: workerParams,
    answer: decided,
  }),
  uncordonWorker: route({
    method: 'POST',
    path: '/v1/workers/{worker}/uncordon',
    scope: 'admin',
    family: 'workers',
    summary: 'Give a worker work again that was cordoned or drained',
    params: workerParams,
    answer: decided,
  }),
  drainWorker: route({
    method: 'POST',
    path: '/v1/workers/{worker}/drain',
    scope: 'admin',
    family: 'workers',
    summary: 'Have a worker finish what is in flight, give back the rest and exit',
    params: workerParams,
    answer: decided,
  }),
  listCoordinators: route({
    method: 'GET',
    path: '/v1/coordinators',
    scope: 'viewer',
    family: 'coordinators',
    summary: 'List the coordinators of the network',
    answer: {
      kind: 'json',
      status: 200,
      schema: z.object({ items: z.array(coordinator) }).meta({ id: 'Coordinators' }),
    },
  }),
  cordonCoordinator: route({
    method: 'POST',
    path: '/v1/coordinators/{coordinator}/cordon',
    scope: 'admin',
    family: 'coordinators',
    summary: 'Send a coordinator no more workers; it keeps those it has',
    params: coordinatorParams,
    answer: decided,
  }),
  uncordonCoordinator: route({
    method: 'POST',
    path: '/v1/coordinators/{coordinator}/uncordon',
    scope: 'admin',
    family: 'coordinators',
    summary: 'Send a coordinator workers again',
    params: coordinatorParams,
    answer: decided,
  }),
  drainCoordinator: route({
    method: 'POST',
    path: '/v1/coordinators/{coordinator}/drain',
    scope: 'admin',
    family: 'coordinators',
    summary: 'Hand the workers of a coordinator over to the others; it keeps running',
    params: coordinatorParams,
    answer: decided,
  }),
};
