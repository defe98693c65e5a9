import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { keyDirectoryPath } from '@webfarer/protocol/job';
import { makeCertificates } from '../fake-web/certificates.ts';

/** An https server that publishes a key directory, as any web server could. */
export interface DirectoryServer {
  /** `https://identity.test:port` */
  readonly origin: string;
  /** PEM file of the authority that its certificate is from. */
  readonly ca: string;
  /** What `webfarer identity` says to publish. */
  publish(document: string, headers: Record<string, string>): void;
  stop(): Promise<void>;
}

const name = 'identity.test';

export async function startDirectoryServer(folder: string): Promise<DirectoryServer> {
  const { key, cert, caFile } = await makeCertificates(folder, [name]);
  let published: { document: string; headers: Record<string, string> } | undefined;
  const server = createServer({ key, cert }, (request, response) => {
    if (request.url !== keyDirectoryPath || !published) return void response.writeHead(404).end();
    response.writeHead(200, published.headers).end(published.document);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `https://${name}:${(server.address() as AddressInfo).port}`,
    ca: caFile,
    publish(document, headers) {
      published = { document, headers };
    },
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
