import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const bin = join(import.meta.dirname, '../bin.ts');

function start(words: string[], env: NodeJS.ProcessEnv = {}) {
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
  const child = spawn(process.execPath, [bin, ...words], { stdio, env: { ...process.env, ...env } });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, ended, said: () => said };
}

it('a worker crawls for a coordinator over TLS with a certificate of its own', {
  timeout: 120_000,
}, async () => {
  const home = mkdtempSync(join(tmpdir(), 'webfarer-tls-'));
  const asked: string[] = [];
  const site = createServer(({ url = '' }, response) => {
    asked.push(url);
    response.writeHead(url === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' });
    response.end(url === '/' ? '<a href="/a">a</a><a href="/b">b</a>' : 'x');
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const seed = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
  const [cert, key, data] = ['crt.pem', 'key.pem', 'data'].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ];
  execFileSync(
    'openssl',
    `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=crawl -addext subjectAltName=IP:127.0.0.1 -out ${cert} -keyout ${key}`.split(
      ' ',
    ),
    { stdio: 'ignore' },
  );
  const trusting = { NODE_EXTRA_CA_CERTS: cert, WEBFARER_STATE: join(home, 'state') };
  const tls = ['--tls-cert', cert, '--tls-key', key];
  const job = ['--data', data, '--listen', '127.0.0.1:0', '--gap', '1ms', '--allow-private', '127.0.0.0/8'];
  const coordinator = start(['coordinator', seed, ...job, ...tls, '--json', '--until-done'], trusting);
  const children = [coordinator.child];
  try {
    while (!coordinator.said().includes('"listening"')) {
      expect(coordinator.child.exitCode, coordinator.said()).toBeNull();
      await Promise.race([once(coordinator.child.stdout, 'data'), coordinator.ended]);
    }
    const url = /"url":"(https:\/\/127\.0\.0\.1:\d+)"/.exec(coordinator.said())?.[1] ?? '';
    const token = ['--token-file', join(data, 'worker.token')];
    const fetching = ['worker', url, ...token, '--out', join(home, 'w'), '--until-done', '--json'];
    const worker = start(fetching, trusting);
    children.push(worker.child);
    expect([await coordinator.ended, await worker.ended], coordinator.said() + worker.said()).toEqual([0, 0]);
    expect(new Set(asked)).toEqual(new Set(['/robots.txt', '/', '/a', '/b']));
  } finally {
    for (const child of children) child.kill('SIGKILL');
    site.close();
    rmSync(home, { recursive: true, force: true });
  }
});

it('asks for the key where only a certificate is given', { timeout: 60_000 }, async () => {
  const home = mkdtempSync(join(tmpdir(), 'webfarer-tls-'));
  const words = ['coordinator', 'http://127.0.0.1:9/', '--data', join(home, 'data'), '--tls-cert', 'x.pem'];
  const { ended, said } = start(words);
  expect([await ended, said()]).toEqual([2, expect.stringContaining('--tls-key')]);
  rmSync(home, { recursive: true, force: true });
});
