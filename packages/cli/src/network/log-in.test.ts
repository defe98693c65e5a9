import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { readLogInFile } from '@webfarer/protocol/node';
import { afterEach, expect, it } from 'vitest';
import { openCoordinatorService } from './coordinator-service.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});

it('a coordinator with a log-in file asks its issuer through the egress, and sends browsers there', {
  timeout: 60_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-log-in-'));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const asked: string[] = [];
  const provider = createServer((request, response) => {
    asked.push(request.url ?? '');
    const issuer = `http://${request.headers.host}`;
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
      }),
    );
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => provider.close());
  const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const file = join(folder, 'log-in.yml');
  const grants = 'grants: [{ group: staff, scope: viewer }]';
  writeFileSync(file, `issuer: ${issuer}\nclientId: crawl\nurl: https://crawl.example.org\n${grants}\n`);
  const service = await openCoordinatorService({
    folder: join(folder, 'data'),
    listen: { host: '127.0.0.1', port: 0 },
    advertise: undefined,
    withWorker: false,
    baseFolder: folder,
    clock: systemClock(),
    logIn: await readLogInFile(file),
    standing: true,
  });
  cleanups.push(() => service.stop());
  await service.stand({ store: undefined, ledger: undefined });
  const begun = await fetch(`${service.url}/v1/session/log-in`, { redirect: 'manual' });
  expect(begun.status).toBe(302);
  const to = new URL(begun.headers.get('location') ?? '');
  expect(to.origin + to.pathname).toBe(`${issuer}/auth`);
  expect(Object.fromEntries(to.searchParams)).toMatchObject({
    client_id: 'crawl',
    response_type: 'code',
    code_challenge_method: 'S256',
    redirect_uri: 'https://crawl.example.org/v1/session/callback',
  });
  // Browsers come over https, whatever the coordinator itself speaks.
  expect(begun.headers.get('set-cookie')).toMatch(/^__Host-webfarer-log-in=.*; Secure$/);
  expect(asked).toEqual(['/.well-known/openid-configuration']);
});
