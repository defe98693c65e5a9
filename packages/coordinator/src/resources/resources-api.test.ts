import { routes } from '@webfarer/protocol/api';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ApiServer, openApiServer } from '../api-server.fixture.ts';

let api: ApiServer;
beforeEach(async () => {
  api = await openApiServer();
});
afterEach(() => api.stop());

const ask = (path: string) => api.ask('GET', path);

it('tells what the coordinator uses now, and lately', { timeout: 120_000 }, async () => {
  const { schema } = routes.getResources.answer;
  const now = async () => schema.parse((await ask('/v1/resources')).body).machines;
  await expect
    .poll(now, { timeout: 15_000 })
    .toMatchObject([{ kind: 'coordinator', id: api.server.id, frame: { queues: { held: 0 } } }]);
  const { body } = await ask(`/v1/coordinators/${api.server.id}/resources?resolution=1s&sinceMs=5`);
  const history = routes.getCoordinatorResources.answer.schema.parse(body);
  expect(history.atMs.length).toBeGreaterThan(0);
  expect(history.series.rssBytes).toHaveLength(history.atMs.length);
  expect(history.series.rssBytes[0]).toBeGreaterThan(1e6);
});

it('says so of a machine that it does not know, and refuses another resolution', async () => {
  expect(await ask('/v1/workers/nobody/resources')).toMatchObject({ status: 404 });
  expect(await ask('/v1/coordinators/nobody/resources')).toMatchObject({ status: 404 });
  expect(await ask('/v1/workers/nobody/resources?resolution=5s')).toMatchObject({ status: 400 });
});
