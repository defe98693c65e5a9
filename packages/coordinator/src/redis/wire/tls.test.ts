import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '@webfarer/protocol';
import { withStoreOptions } from '@webfarer/protocol/job';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificates } from '../../../../../test/fake-web/certificates.ts';
import { type RedisServers, startRedis } from '../../../../../test/redis/servers.ts';
import { openStore } from '../store.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'webfarer-store-tls-'));
const at = (...names: string[]) => join(folder, ...names);
const clock = systemClock();
const started: RedisServers[] = [];
let open: RedisServers;
let mutual: RedisServers;
let expired: RedisServers;

/** An authority and a certificate that it signed, which servers and clients may show. */
async function authority(name: string): Promise<void> {
  mkdirSync(at(name), { recursive: true });
  await makeCertificates(at(name), ['localhost', 'store.test']);
}

async function start(certificates: string, settings: Record<string, string> = {}): Promise<RedisServers> {
  const servers = await startRedis({ certificates, settings });
  started.push(servers);
  return servers;
}

beforeAll(async () => {
  await Promise.all([authority('good'), authority('other'), authority('past')]);
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const signed = [
    '-config',
    at('past', 'server.cnf'),
    '-CA',
    at('past', 'ca.pem'),
    '-CAkey',
    at('past', 'ca.key'),
  ];
  const written = ['-keyout', at('past', 'server.key'), '-out', at('past', 'server.pem')];
  const lastYear = ['2020-01-01 00:00:00', 'openssl', ...request, '-days', '30', '-subj', '/CN=past'];
  await run('faketime', [...lastYear, ...signed, ...written]);
  [open, mutual, expired] = await Promise.all([
    start(at('good')),
    start(at('good'), { 'tls-auth-clients': 'yes' }),
    start(at('past')),
  ]);
});

afterAll(async () => {
  await Promise.all(started.map((servers) => servers.stop()));
  rmSync(folder, { recursive: true, force: true });
});

const ca = at('good', 'ca.pem');
const own = { cert: at('good', 'server.pem'), key: at('good', 'server.key') };
const urlOf = (servers: RedisServers, host = 'localhost') => `rediss://${host}:${servers.nodes[0]?.tlsPort}`;

async function use(url: string, options: Parameters<typeof withStoreOptions>[1]): Promise<unknown> {
  const store = await openStore({ url: withStoreOptions(url, options), replicas: 0, clock });
  try {
    return await store.run([{ key: '{wf}', args: ['SET', '{wf}tried', 'yes'] }]);
  } finally {
    await store.close();
  }
}

describe('a store behind TLS', () => {
  it('is trusted by the authority in a file, by the name of the address or one that is given', async () => {
    expect(await use(urlOf(open), { ca })).toEqual(['OK']);
    expect(await use(urlOf(open, '127.0.0.1'), { ca, 'server-name': 'store.test' })).toEqual(['OK']);
  });

  it('is shown a client certificate where it asks for one', async () => {
    expect(await use(urlOf(mutual), { ca, ...own })).toEqual(['OK']);
  });

  it('is refused where the certificate names another host', async () => {
    await expect(use(urlOf(open, '127.0.0.1'), { ca })).rejects.toMatchObject({
      code: 'store-denied',
      message: expect.stringContaining('does not name 127.0.0.1'),
      next: expect.stringContaining('--store-server-name NAME'),
    });
  });

  it.each([
    ['the authority is unknown', () => use(urlOf(open), {}), 'not signed by an authority', '--store-ca FILE'],
    [
      'another authority is named',
      () => use(urlOf(open), { ca: at('other', 'ca.pem') }),
      `not signed by the authority in ${at('other', 'ca.pem')}`,
      '--store-ca FILE',
    ],
    [
      'another name is expected',
      () => use(urlOf(open), { ca, 'server-name': 'other.test' }),
      'does not name other.test',
      '--store-server-name NAME',
    ],
    [
      'the certificate has expired',
      () => use(urlOf(expired), { ca: at('past', 'ca.pem') }),
      'has expired',
      'Renew the certificate',
    ],
    [
      'no client certificate is given',
      () => use(urlOf(mutual), { ca }),
      'requires a client certificate',
      '--store-cert FILE --store-key FILE',
    ],
    [
      'the client certificate is of another authority',
      () => use(urlOf(mutual), { ca, cert: at('other', 'server.pem'), key: at('other', 'server.key') }),
      `rejects the client certificate ${at('other', 'server.pem')}`,
      'signed by the authority of the server',
    ],
  ])('is refused where %s', async (_, using, message, next) => {
    await expect(using()).rejects.toMatchObject({
      code: 'store-denied',
      message: expect.stringContaining(message),
      next: expect.stringContaining(next),
    });
  });

  it.each([
    ['is missing', { ca: at('none.pem') }, /none\.pem: no such file/, '--store-ca'],
    ['is not a certificate', { ca: at('text.pem') }, /text\.pem is not a PEM file/, '--store-ca'],
    [
      'has the key of another',
      { ca, cert: own.cert, key: at('other', 'server.key') },
      /other\/server\.key is not the private key of .*good\/server\.pem/,
      'PEM',
    ],
    ['has no key', { ca, cert: own.cert }, /a client certificate needs its private key/, '--store-key'],
  ])('is refused where a file %s', async (_, options, message, next) => {
    writeFileSync(at('text.pem'), 'no certificate at all');
    await expect(use(urlOf(open), options)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(message),
      next: expect.stringContaining(next),
    });
  });

  it('is not reached on a port that does not encrypt, or without TLS on one that does', async () => {
    await expect(use(`rediss://localhost:${open.nodes[0]?.port}`, { ca })).rejects.toMatchObject({
      code: 'store-silent',
      message: expect.stringContaining('no TLS handshake; is this its TLS port?'),
    });
    await expect(use(urlOf(open).replace('rediss:', 'redis:'), {})).rejects.toMatchObject({
      code: 'store-silent',
      next: expect.stringContaining('rediss://'),
    });
  });

  it('is not asked to encrypt with redis://, so that certificates would mean nothing', async () => {
    await expect(use(open.url, { ca })).rejects.toThrow('is not asked to encrypt');
  });

  it('sees a certificate that was renewed meanwhile, without being opened again', async () => {
    const files = at('rotated');
    mkdirSync(files, { recursive: true });
    const put = (from: string) => {
      for (const name of ['server.pem', 'server.key']) copyFileSync(at(from, name), join(files, name));
    };
    put('good');
    const options = { ca, cert: join(files, 'server.pem'), key: join(files, 'server.key') };
    const store = await openStore({ url: withStoreOptions(urlOf(mutual), options), replicas: 0, clock });
    const set = (deadlineMs: number) =>
      store.run([{ key: '{wf}', args: ['SET', '{wf}tried', 1] }], { deadlineMs });
    try {
      await set(60_000);
      put('other');
      await mutual.nodes[0]?.ask('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await expect(set(5_000)).rejects.toMatchObject({
        code: 'store-silent',
        message: expect.stringContaining('rejects the client certificate'),
      });
      put('good');
      expect(await set(60_000)).toEqual(['OK']);
    } finally {
      await store.close();
    }
  });
});
