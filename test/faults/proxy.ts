import { connect, createServer, type Server, type Socket } from 'node:net';

/** What a link does to the bytes of all its connections, from now on. */
export type Weather =
  | { kind: 'clear' }
  /** Every chunk comes this much later, each way; order is kept. */
  | { kind: 'delay'; ms: number; jitterMs?: number }
  /** Not faster than this, each way. */
  | { kind: 'slow'; bytesPerSecond: number }
  /** Nothing passes and nobody is told; what comes meanwhile is swallowed, so the connection never heals. */
  | { kind: 'black-hole' }
  /** Nothing passes one way; the other way is clear. */
  | { kind: 'half-open'; silent: 'to-server' | 'to-client' }
  /** New connections are refused with a reset. */
  | { kind: 'refuse' };

/** A TCP proxy of ours between two parts of a network, which spoils it on command. */
export interface FaultProxy {
  readonly port: number;
  /** `127.0.0.1:PORT`, to be used in place of the server's own address. */
  readonly address: string;
  readonly connections: number;
  /** Bytes passed on since the start, both ways. */
  readonly passed: number;
  /** Sets the weather for connections there are and for those to come. */
  set(weather: Weather): void;
  /** Ends every connection at once: `reset` as after a crash, `end` as after an orderly close. */
  drop(how: 'reset' | 'end'): void;
  /** Passes so many more bytes on each connection, either way, then resets it: mostly in the middle of a frame. */
  cutAfter(bytes: number): void;
  /** Clear weather; connections that swallowed bytes are reset, because nothing can make them whole again. */
  heal(): void;
  stop(): Promise<void>;
}

export interface ProxyOptions {
  to: { host: string; port: number };
  /** Default: a free one. */
  port?: number;
  random?: () => number;
}

interface Link {
  client: Socket;
  server: Socket;
  /** Bytes that may still pass before it is cut. */
  left: number;
  /** Bytes were swallowed on it. */
  torn: boolean;
}

type Way = 'to-server' | 'to-client';

export async function startFaultProxy(options: ProxyOptions): Promise<FaultProxy> {
  const { to, random = Math.random } = options;
  const links = new Set<Link>();
  let weather: Weather = { kind: 'clear' };
  let passed = 0;

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    if (weather.kind === 'refuse') return void client.resetAndDestroy();
    const link: Link = {
      client,
      server: connect({ ...to, allowHalfOpen: true, noDelay: true }),
      left: Number.POSITIVE_INFINITY,
      torn: false,
    };
    links.add(link);
    carry(link, 'to-server');
    carry(link, 'to-client');
    for (const socket of [link.client, link.server]) {
      socket.on('error', () => reset(link));
      socket.on('close', () => {
        // A black hole hides the end of the one from the other, too.
        if (isSilent('to-client') || isSilent('to-server')) link.torn = true;
        else close(link);
      });
    }
  });

  /** One way of one link: a line of chunks, each passed on when its time has come. */
  function carry(link: Link, way: Way): void {
    const [from, into] = way === 'to-server' ? [link.client, link.server] : [link.server, link.client];
    let line = Promise.resolve();
    let freeAt = 0;
    const queue = (pass: () => void): void => {
      line = line.then(async () => {
        const waitMs = delayMs();
        if (waitMs > 0) await later(waitMs);
        pass();
      });
    };
    const delayMs = (): number => {
      if (weather.kind === 'delay') return weather.ms + random() * (weather.jitterMs ?? 0);
      return weather.kind === 'slow' ? Math.max(0, freeAt - performance.now()) : 0;
    };
    from.on('data', (chunk: Buffer) => {
      if (isSilent(way)) {
        link.torn = true;
        return;
      }
      if (weather.kind === 'slow')
        freeAt = Math.max(freeAt, performance.now()) + (chunk.length / weather.bytesPerSecond) * 1_000;
      from.pause();
      queue(() => {
        pass(link, into, chunk);
        from.resume();
      });
    });
    from.on('end', () => {
      if (isSilent(way)) link.torn = true;
      else queue(() => void into.end());
    });
  }

  function pass(link: Link, into: Socket, chunk: Buffer): void {
    if (into.destroyed) return;
    const part = chunk.subarray(0, Math.min(chunk.length, link.left));
    link.left -= part.length;
    passed += part.length;
    if (link.left > 0) return void into.write(part);
    into.write(part, () => reset(link));
  }

  const isSilent = (way: Way): boolean =>
    weather.kind === 'black-hole' || (weather.kind === 'half-open' && weather.silent === way);

  function reset(link: Link): void {
    links.delete(link);
    for (const socket of [link.client, link.server])
      if (!socket.destroyed) {
        if (socket.connecting) socket.destroy();
        else socket.resetAndDestroy();
      }
  }

  function close(link: Link): void {
    links.delete(link);
    link.client.destroy();
    link.server.destroy();
  }

  const port = await listen(server, options.port ?? 0);
  return {
    port,
    address: `127.0.0.1:${port}`,
    get connections() {
      return links.size;
    },
    get passed() {
      return passed;
    },
    set(next) {
      weather = next;
    },
    drop(how) {
      for (const link of links) (how === 'reset' ? reset : close)(link);
    },
    cutAfter(bytes) {
      for (const link of links) link.left = bytes;
    },
    heal() {
      weather = { kind: 'clear' };
      for (const link of links) if (link.torn) reset(link);
    },
    async stop() {
      for (const link of links) reset(link);
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((done, failed) => {
    server.once('error', failed);
    server.listen(port, '127.0.0.1', () => done((server.address() as { port: number }).port));
  });
}

function later(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
