import { createServer, request as forward } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** Stands between a sink and its coordinator, and can keep back what the sink says of its position. */
export interface AckProxy {
  url: string;
  /** From now on; resolves with true when one is kept back, with false when `over` resolves before. */
  hold(over: Promise<unknown>): Promise<boolean>;
  /** Lets them pass again. What was kept back is lost. */
  release(): void;
  stop(): Promise<void>;
}

const isAcknowledgement = /\/consumers\/[^/?]+$/;

export async function startAckProxy(coordinator: string): Promise<AckProxy> {
  const to = new URL(coordinator);
  const sockets = new Set<Socket>();
  let held: PromiseWithResolvers<boolean> | undefined;
  const server = createServer((asked, answer) => {
    const { method, url = '/', headers } = asked;
    if (held && method === 'POST' && isAcknowledgement.test(url)) return held.resolve(true);
    const passed = forward({ host: to.hostname, port: to.port, method, path: url, headers }, (found) => {
      answer.writeHead(found.statusCode ?? 502, found.headers);
      found.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    asked.pipe(passed);
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async hold(over) {
      held = Promise.withResolvers<boolean>();
      return await Promise.race([held.promise, over.then(() => false)]);
    },
    release() {
      held = undefined;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}
