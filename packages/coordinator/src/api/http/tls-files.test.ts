import { execFileSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type HttpServer, openHttpServer } from './http-server.ts';

let folder: string;
let server: HttpServer | undefined;
let refused: string[];
let renewals: number;
let expiring: number[];
let aheadDays: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-tls-'));
  refused = [];
  renewals = 0;
  expiring = [];
  aheadDays = 0;
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/** A certificate that signs itself, for 127.0.0.1. */
function certify(name: string, days = 20): { certFile: string; keyFile: string } {
  const certFile = join(folder, `${name}.crt`);
  const keyFile = join(folder, `${name}.key`);
  const about = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1', '-days', String(days)];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile];
  execFileSync('openssl', ['req', '-x509', ...key, '-out', certFile, ...about], { stdio: 'ignore' });
  return { certFile, keyFile };
}

async function open(files: { certFile: string; keyFile: string }): Promise<void> {
  server = await openHttpServer({
    listen: { host: '127.0.0.1', port: 0 },
    app: ({ url }) => Promise.resolve(new Response(url)),
    upgrades: { '/link': (_request, socket) => void socket.end('HTTP/1.1 418 linked\r\n\r\n') },
    tls: {
      ...files,
      // Only the pauses between two looks are shortened.
      clock: {
        ...systemClock(),
        wall: () => systemClock().wall() + aheadDays * 86_400_000,
        sleep: (_ms, signal) => systemClock().sleep(20, signal),
      },
      renewed: () => renewals++,
      expires: ({ expiresAtMs }) => expiring.push(expiresAtMs),
      refused: ({ message }) => refused.push(message),
    },
  });
}

/** What a client is shown and answered. */
async function visit(request: string): Promise<{ subject: string; answer: string; protocol: string }> {
  const { port } = (server as HttpServer).address;
  return await new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      const subject = String(socket.getPeerCertificate().subject.CN);
      const protocol = socket.getProtocol() ?? '';
      socket.on('data', (data: Buffer) => (answer += data.toString()));
      socket.on('close', () => resolve({ subject, answer, protocol }));
      socket.write(request);
    });
    socket.on('error', reject);
  });
}

const get = 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n';
const upgrade = 'GET /link HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

it('speaks TLS for requests and for WebSockets', async () => {
  await open(certify('first'));
  const { subject, answer, protocol } = await visit(get);
  expect([subject, protocol]).toEqual(['first', 'TLSv1.3']);
  expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*https:\/\/127\.0\.0\.1\/health$/);
  expect((await visit(upgrade)).answer).toMatch(/^HTTP\/1\.1 418 /);
});

it('takes a renewed certificate without a restart', async () => {
  const files = certify('first');
  await open(files);
  expect((await visit(get)).subject).toBe('first');
  const next = certify('second');
  renameSync(next.keyFile, files.keyFile);
  renameSync(next.certFile, files.certFile);
  await vi.waitFor(async () => expect((await visit(get)).subject).toBe('second'), 20_000);
  expect(renewals).toBe(1);
});

it('keeps the certificate it has while the files hold none', async () => {
  const files = certify('first');
  await open(files);
  // In one step: a file that is just being written is wrong in another way.
  writeFileSync(`${files.certFile}.next`, 'not a certificate');
  renameSync(`${files.certFile}.next`, files.certFile);
  await vi.waitFor(() => expect(refused).toHaveLength(1), 20_000);
  expect(refused[0]).toContain('cannot be used for TLS');
  expect((await visit(get)).subject).toBe('first');
  rmSync(files.certFile);
  await vi.waitFor(() => expect(refused).toHaveLength(2), 20_000);
  const next = certify('third');
  renameSync(next.certFile, files.certFile);
  renameSync(next.keyFile, files.keyFile);
  await vi.waitFor(async () => expect((await visit(get)).subject).toBe('third'), 20_000);
});

it('does not replace a valid certificate by one that has expired, and tells when the one in use will', async () => {
  const files = certify('first');
  await open(files);
  const inUse = server?.certificateExpiresAtMs() ?? 0;
  expect(Math.round((inUse - Date.now()) / 86_400_000)).toBe(20);
  const past = certify('past', 1);
  aheadDays = 2;
  renameSync(past.keyFile, files.keyFile);
  renameSync(past.certFile, files.certFile);
  await vi.waitFor(
    () => expect(refused).toEqual([expect.stringMatching(/first\.crt expired on \d{4}-/)]),
    20_000,
  );
  expect([(await visit(get)).subject, server?.certificateExpiresAtMs()]).toEqual(['first', inUse]);
  expect(expiring).toEqual([]);
  const soon = certify('soon', 5);
  renameSync(soon.keyFile, files.keyFile);
  renameSync(soon.certFile, files.certFile);
  await vi.waitFor(() => expect(expiring).toHaveLength(1), 20_000);
  expect((await visit(get)).subject).toBe('soon');
  expect(expiring).toEqual([server?.certificateExpiresAtMs()]);
});

it('says what is wrong with the files at the start', async () => {
  const [one, other] = [certify('one'), certify('other')];
  const mixed = { certFile: one.certFile, keyFile: other.keyFile };
  await expect(open(mixed)).rejects.toMatchObject({
    code: 'usage',
    next: expect.stringContaining('private key'),
  });
  const missing = { ...one, keyFile: join(folder, 'missing.key') };
  await expect(open(missing)).rejects.toMatchObject({ message: expect.stringContaining('missing.key') });
});
