import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Socket } from 'node:net';
import { systemClock } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import type { FetchAnswer } from '../fetch/fetch.ts';
import { asked, okAnswer, rawServer, tcpServer, testEgress } from './servers.fixture.ts';

const clock = systemClock();

/** Sends the pieces one by one for as long as the other side listens. */
function drip(socket: Socket, piece: string, everyMs: number, first = ''): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(piece), everyMs);
  socket.on('close', () => clearInterval(timer));
}

describe('a slow server', () => {
  it.each([
    ['header by header', (socket: Socket) => drip(socket, 'X-Drip: 1\r\n', 20), false],
    ['in the middle of a header', (socket: Socket) => drip(socket, 'x', 20), false],
    ['byte by byte in the body', (socket: Socket) => drip(socket, 'x', 20, '\r\n'), true],
    ['not at all after the head', (socket: Socket) => void socket.write('Content-Length: 9\r\n\r\n'), true],
  ])('that drips %s is ended by the deadline', async (_name, serve, hasHead) => {
    const { base } = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      serve(socket);
    });
    const startedAt = clock.now();
    const answer = await testEgress().fetch(asked(base, { timeoutMs: 300 }));
    expect(clock.now() - startedAt).toBeLessThan(10_000);
    if (hasHead) expect(answer).toMatchObject({ ok: true, truncated: 'time' });
    else expect(answer).toMatchObject({ ok: false, reason: 'timeout', contacted: true });
  });

  it('that accepts and says nothing is ended by the deadline', async () => {
    const { base } = await tcpServer(() => {});
    const answer = await testEgress().fetch(asked(base, { timeoutMs: 200 }));
    expect(answer).toMatchObject({ ok: false, reason: 'timeout', contacted: true });
  });

  it('that says nothing to a TLS greeting is ended by the deadline', async () => {
    const { port } = await tcpServer(() => {});
    const answer = await testEgress().fetch(asked(`https://127.0.0.1:${port}/`, { timeoutMs: 200 }));
    expect(answer).toMatchObject({ ok: false, reason: 'connect-timeout', contacted: true });
    const patient = testEgress({ connectTimeoutMs: 200 });
    const late = await patient.fetch(asked(`https://127.0.0.1:${port}/`));
    expect(late).toMatchObject({ ok: false, reason: 'connect-timeout', contacted: true });
  });
});

describe('an endless answer', () => {
  function pump(socket: Socket, piece: string): void {
    const go = (): void => {
      while (!socket.destroyed && socket.write(piece)) continue;
    };
    socket.on('drain', go);
    go();
  }

  it('is cut at the limit of bytes on the wire', async () => {
    const { base } = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      pump(socket, 'x'.repeat(10_000));
    });
    const answer = await testEgress().fetch(asked(base, { maxBytes: 12_345 }));
    expect(answer).toMatchObject({ ok: true, truncated: 'length' });
    expect(answer.ok && answer.body.length).toBe(12_345);
  });

  it('of exactly the limit is whole', async () => {
    const { base } = await rawServer((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n${'x'.repeat(1000)}`),
    );
    const answer = await testEgress().fetch(asked(base, { maxBytes: 1000 }));
    expect(answer.ok && answer.body.length).toBe(1000);
    expect(answer).not.toHaveProperty('truncated');
  });

  it.each([
    ['one header', 'X: ', 'y'.repeat(10_000), 'headers-too-large'],
    ['many headers', '', 'X: y\r\n'.repeat(1_000), 'headers-too-large'],
    ['a status line', '', undefined, 'headers-too-large'],
    ['interim answers', '\r\n', 'HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n', 'protocol-error'],
  ])('of %s ends in an error', async (name, begin, piece, reason) => {
    const { base } = await rawServer((socket) => {
      const first = name === 'interim answers' ? 'HTTP/1.1 103 Early Hints\r\n' : 'HTTP/1.1 200 OK\r\n';
      socket.write(piece === undefined ? 'HTTP/1.1 200 ' : first + begin);
      pump(socket, piece ?? 'z'.repeat(10_000));
    });
    const answer = await testEgress().fetch(asked(base, { maxBytes: 10_000 }));
    expect(answer).toMatchObject({ ok: false, reason, contacted: true });
  });

  it('of few bytes but very many headers is refused', async () => {
    const { base } = await rawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${'a:\r\n'.repeat(1_000)}Content-Length: 0\r\n\r\n`);
    });
    expect(await testEgress().fetch(asked(base))).toMatchObject({ ok: false, reason: 'headers-too-large' });
  });

  it('of few headers but very many bytes is refused', async () => {
    const { base } = await rawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nX: ${'y'.repeat(70_000)}\r\nContent-Length: 0\r\n\r\n`);
    });
    expect(await testEgress().fetch(asked(base))).toMatchObject({ ok: false, reason: 'headers-too-large' });
  });

  it('of chunk extensions without a body is cut', async () => {
    const { base } = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;');
      pump(socket, 'x'.repeat(10_000));
    });
    const answer = await testEgress().fetch(asked(base, { maxBytes: 10_000 }));
    expect(answer.ok ? answer.truncated : answer.reason).toBe('length');
  });
});

describe('an answer that ends early', () => {
  it.each([
    ['within a known length', 'Content-Length: 10\r\n\r\nhalf', 'half'],
    ['within a chunk', 'Transfer-Encoding: chunked\r\n\r\n8\r\nhalf', 'half'],
    ['between chunks', 'Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n', 'half'],
  ])('%s is marked and keeps what came', async (_name, rest, body) => {
    for (const end of ['end', 'reset'] as const) {
      const { base } = await rawServer((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\n${rest}`, () => {
          // A reset may overtake data that was not read yet, so it waits a moment for the reader.
          if (end === 'end') socket.end();
          else setTimeout(() => socket.resetAndDestroy(), 50);
        });
      });
      const answer = await testEgress().fetch(asked(base));
      expect(answer).toMatchObject({ ok: true, truncated: 'disconnect' });
      expect(answer.ok && answer.body.toString()).toBe(body);
    }
  });

  it('without a length is whole when the connection closes', async () => {
    const { base } = await rawServer((socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\nall of it'));
    const answer = await testEgress().fetch(asked(base));
    expect(answer.ok && answer.body.toString()).toBe('all of it');
    expect(answer).not.toHaveProperty('truncated');
  });

  it.each([
    ['before anything', ''],
    ['within the head', 'HTTP/1.1 200 OK\r\nContent-Le'],
  ])('%s is a closed connection', async (_name, sent) => {
    const { base } = await rawServer((socket) => void socket.end(sent));
    expect(await testEgress().fetch(asked(base))).toMatchObject({
      ok: false,
      reason: 'connection-reset',
      contacted: true,
    });
  });
});

describe('what is not HTTP', () => {
  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['no status line', '<html>hello</html>'],
    [
      'both length and chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd'],
    ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'],
    ['a chunk size that is none', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['a header without a colon', 'HTTP/1.1 200 OK\r\nNo colon here\r\n\r\n'],
    ['100 and nothing more', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['a change of protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
  ])('%s is an error', async (_name, sent) => {
    const { base } = await rawServer((socket) => void socket.end(sent, 'latin1'));
    expect(await testEgress().fetch(asked(base))).toMatchObject({
      ok: false,
      reason: 'protocol-error',
      contacted: true,
    });
  });
});

const corpora = process.env.WEBFARER_CORPORA;

/** The messages in llhttp's own test files, as bytes. */
function llhttpMessages(folder: string): Buffer[] {
  return readdirSync(folder).flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/```http\n([\s\S]*?)```/g)].map(([, block]) =>
      Buffer.from(
        (block as string)
          .replace(/\n$/, '')
          .replaceAll(/\\\n/g, '')
          .replaceAll('\n', '\r\n')
          .replaceAll('\\r', '\r')
          .replaceAll('\\n', '\n')
          .replaceAll('\\t', '\t')
          .replaceAll(/\\f/g, '\f')
          .replaceAll(/\\x([0-9A-Fa-f]{2})/g, (_, hex: string) =>
            String.fromCharCode(Number.parseInt(hex, 16)),
          ),
        'latin1',
      ),
    ),
  );
}

it.skipIf(corpora === undefined)(
  'odd messages of another parser end in a value, whole or in pieces',
  async () => {
    const messages = llhttpMessages(join(corpora as string, 'http-llhttp/test/response'));
    expect(messages.length).toBeGreaterThan(50);
    const egress = testEgress();
    const endings: Record<string, number> = {};
    const note = (answer: FetchAnswer): void => {
      const key = answer.ok ? `ok ${answer.truncated ?? ''}` : answer.reason;
      endings[key] = (endings[key] ?? 0) + 1;
    };
    for (const inPieces of [false, true]) {
      let next = 0;
      const { base } = await rawServer((socket) => {
        const message = messages[next] as Buffer;
        if (!inPieces) return void socket.end(message);
        for (let i = 0; i < message.length; i += 7) socket.write(message.subarray(i, i + 7));
        socket.end();
      });
      for (next = 0; next < messages.length; next += 1) {
        note(await egress.fetch(asked(base, { timeoutMs: 2_000 })));
        egress.forget('127.0.0.1');
      }
    }
    console.log(`llhttp messages: ${JSON.stringify(endings)}`);
    expect(endings.timeout).toBeUndefined();
  },
);

describe('large bodies', () => {
  it('wait for each other where their memory is used up, and all arrive whole', async () => {
    const body = 'x'.repeat(900_000);
    const { base } = await rawServer((socket) => socket.write(okAnswer(body)));
    const egress = testEgress({ maxHeldBytes: 1_000_000 });
    const kept = await egress.fetch(asked(base));
    let arrived = 0;
    const others = [1, 2, 3].map(async () => {
      const answer = await egress.fetch(asked(base));
      arrived += 1;
      if (!answer.ok) return answer.reason;
      const { length } = answer.body;
      answer.release();
      return length;
    });
    const small = await egress.fetch(asked(base, { maxBytes: 100_000 }));
    expect(small).toMatchObject({ ok: true, truncated: 'length' });
    expect(arrived).toBe(0);
    if (kept.ok) kept.release();
    expect(await Promise.all(others)).toEqual([900_000, 900_000, 900_000]);
  });

  it('are not late by the time we made them wait', async () => {
    const { base } = await rawServer((socket) => socket.write(okAnswer('x'.repeat(900_000))));
    const egress = testEgress({ maxHeldBytes: 1_000_000 });
    const kept = await egress.fetch(asked(base));
    const startedAt = clock.now();
    const late = egress.fetch(asked(base, { timeoutMs: 400 }));
    await clock.sleep(500);
    if (kept.ok) kept.release();
    const answer = await late;
    expect(clock.now() - startedAt).toBeGreaterThan(400);
    expect(answer).toMatchObject({ ok: true });
    expect(answer).not.toHaveProperty('truncated');
  });
});
