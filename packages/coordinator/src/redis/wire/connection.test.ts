import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { makeCertificates } from '../../../../../test/fake-web/certificates.ts';
import { redisForFile } from '../../../../../test/redis/for-file.ts';
import { freePorts } from '../../../../../test/redis/server-process.ts';
import { startRedis } from '../../../../../test/redis/servers.ts';
import { type Connection, ConnectionLost, openConnection } from './connection.ts';
import { clientName } from './greeting.ts';

const times = { connectMs: 1_000, answerMs: 300 };
const real = redisForFile();
const open: { server?: Server; connection?: Connection }[] = [];

afterEach(() => {
  for (const { server, connection } of open.splice(0)) {
    server?.close();
    connection?.end('the test is over');
  }
});

/** A server of our own making, for what a real one never does. It answers the greeting behind the first answers. */
async function against(onData: (socket: Socket) => void): Promise<Connection> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      onData(socket);
      if (chunk.includes('SETNAME') && socket.writable && !socket.destroyed) socket.write('+OK\r\n');
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  const connection = await openConnection({ host: '127.0.0.1', port, tls: false }, times);
  open.push({ server, connection });
  return connection;
}

describe('a connection', () => {
  it('answers one pipeline after the other', async () => {
    const connection = await against((socket) => socket.write('+A\r\n:2\r\n'));
    expect(await connection.pipeline([['X'], ['Y']])).toEqual(['A', 2]);
    expect(await connection.pipeline([['X'], ['Y']])).toEqual(['A', 2]);
    expect(await connection.pipeline([])).toEqual([]);
  });

  it('takes one pipeline at a time', async () => {
    const connection = await against((socket) => socket.cork());
    const first = connection.pipeline([['X']]);
    await expect(connection.pipeline([['Y']])).rejects.toThrow('one pipeline at a time');
    connection.end('enough');
    await expect(first).rejects.toThrow('enough');
  });

  it.each([
    ['is closed by the server', (socket: Socket) => socket.end(':1\r\n'), 'closed'],
    ['is reset', (socket: Socket) => socket.resetAndDestroy(), ''],
    ['is unresponsive', (socket: Socket) => socket.cork(), 'no response in 300 ms'],
    ['brings something else', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\n'), 'not a Redis reply'],
    ['brings too much', (socket: Socket) => socket.write(':1\r\n:2\r\n:3\r\n'), 'an unexpected reply'],
  ])('that %s is dead for ever', async (_, misbehave, why) => {
    const connection = await against(misbehave);
    const lost = await connection.pipeline([['X'], ['Y']]).catch((error: unknown) => error);
    // Two answers that came before the surplus one are good.
    if (Array.isArray(lost)) await expect.poll(() => connection.dead).toBe(true);
    else expect(lost).toMatchObject({ name: 'ConnectionLost', sent: true });
    if (lost instanceof Error) expect(lost.message).toContain(why);
    expect(connection.dead).toBe(true);
    await expect(connection.pipeline([['X']])).rejects.toMatchObject({ sent: false });
  });

  it('cannot be opened where nobody listens', async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as { port: number };
    await new Promise((done) => server.close(done));
    const opening = openConnection({ host: '127.0.0.1', port, tls: false }, times);
    await expect(opening).rejects.toBeInstanceOf(ConnectionLost);
  });

  it('says whose it is with the first commands, without waiting for that', async () => {
    const received: string[] = [];
    const server = createServer((socket) => {
      socket.on('data', (chunk) => {
        received.push(chunk.toString());
        socket.write(received.length === 1 ? '+A\r\n+B\r\n-ERR unknown command\r\n' : '+C\r\n');
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as { port: number };
    const connection = await openConnection({ host: '127.0.0.1', port, tls: false }, times);
    open.push({ server, connection });
    expect(await connection.pipeline([['X'], ['Y']])).toEqual(['A', 'B']);
    expect(await connection.pipeline([['Z']])).toEqual(['C']);
    expect(received[0]).toMatch(/X\r\n[^]*Y\r\n[^]*SETNAME\r\n\$\d+\r\nwebfarer-/);
    expect(received.slice(1).join()).not.toContain('SETNAME');
    const [node] = (await real()).nodes;
    const named = await openConnection({ host: '127.0.0.1', port: node?.port ?? 0, tls: false }, times);
    open.push({ connection: named });
    await named.pipeline([['PING']]);
    expect(await node?.askText('CLIENT', 'LIST')).toContain(`name=${clientName} `);
  });

  it('signs in', async () => {
    const [server] = (await real()).nodes;
    await server?.ask('ACL', 'SETUSER', 'guest', 'on', '>secret', '+ping');
    const endpoint = { host: '127.0.0.1', port: server?.port ?? 0, tls: false, user: 'guest' };
    const connection = await openConnection({ ...endpoint, password: 'secret' }, times);
    open.push({ connection });
    expect(await connection.pipeline([['PING']])).toEqual(['PONG']);
    const wrong = openConnection({ ...endpoint, password: 'wrong' }, times);
    await expect(wrong).rejects.toThrow('the password was rejected');
  });

  it('reads the password from its file for each connection, as a word, with a user, or in an address', async () => {
    const [server] = (await real()).nodes;
    const folder = mkdtempSync(join(tmpdir(), 'webfarer-password-'));
    const file = join(folder, 'password');
    const port = server?.port ?? 0;
    const endpoint = { host: '127.0.0.1', port, tls: false, user: 'turning', passwordFile: file };
    const answer = async () => {
      const connection = await openConnection(endpoint, times);
      open.push({ connection });
      return await connection.pipeline([['PING']]);
    };
    try {
      await expect(answer()).rejects.toThrow(`${file}: no such file`);
      const forms = { one: 'one', two: 'turning:two', 'th/ree': 'redis://turning:th%2Free@store.test:1' };
      for (const [password, text] of Object.entries(forms)) {
        await server?.ask('ACL', 'SETUSER', 'turning', 'reset', 'on', `>${password}`, '+ping');
        if (password !== 'one') await expect(answer()).rejects.toThrow(`was rejected (from ${file}`);
        writeFileSync(file, `${text}\n`);
        expect(await answer()).toEqual(['PONG']);
      }
      for (const nothing of ['', 'two words', 'redis://store.test:1']) {
        writeFileSync(file, nothing);
        await expect(answer()).rejects.toThrow('it holds no password');
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('is encrypted, to a server whose certificate is trusted', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'webfarer-tls-'));
    const { caFile } = await makeCertificates(folder, ['localhost']);
    const [port = 0] = await freePorts('127.0.0.1', 1);
    const servers = await startRedis({
      settings: {
        'tls-port': String(port),
        'tls-cert-file': join(folder, 'server.pem'),
        'tls-key-file': join(folder, 'server.key'),
        'tls-auth-clients': 'no',
      },
    });
    const trusted = getCACertificates();
    const endpoint = { host: 'localhost', port, tls: true };
    try {
      await expect(openConnection(endpoint, times)).rejects.toThrow('certificate');
      setDefaultCACertificates([...trusted, readFileSync(caFile, 'utf8')]);
      const connection = await openConnection(endpoint, times);
      open.push({ connection });
      expect(await connection.pipeline([['PING']])).toEqual(['PONG']);
      await expect(openConnection({ ...endpoint, host: '127.0.0.1' }, times)).rejects.toThrow(
        'does not name 127.0.0.1',
      );
    } finally {
      setDefaultCACertificates(trusted);
      await servers.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
