import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { routes } from '@webfarer/protocol/api';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openServer, type Server } from '../server.ts';

let folder: string;
let server: Server;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-resources-'));
  server = await openServer({
    folder,
    version: '1.2.3',
    listen: { host: '127.0.0.1', port: 0 },
    advertise: undefined,
    expectsWorker: false,
  });
  await server.host({});
  await server.ready();
});
afterEach(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(path: string) {
  const token = readFileSync(join(folder, 'operator.token'), 'utf8').trim();
  const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${token}` } });
  return { status: response.status, body: (await response.json()) as unknown };
}

it('tells what the coordinator uses now, and lately', { timeout: 20_000 }, async () => {
  const { schema } = routes.getResources.answer;
  const now = async () => schema.parse((await ask('/v1/resources')).body).machines;
  await expect
    .poll(now, { timeout: 15_000 })
    .toMatchObject([{ kind: 'coordinator', id: server.id, frame: { queues: { held: 0 } } }]);
  const { body } = await ask(`/v1/coordinators/${server.id}/resources?resolution=1s&sinceMs=5`);
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
