import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiClient, type ApiScope, createClient } from '@webfarer/protocol/api';
import type { Coordinator } from './coordinator-parts.ts';
import { openServer, type Server, type ServerOptions } from './server.ts';

/** What a request was answered with; an empty body is undefined. */
export interface ApiAnswer {
  status: number;
  body: unknown;
}

/** A coordinator on a port of its own, for tests of its API. */
export interface ApiServer {
  readonly server: Server;
  readonly coordinator: Coordinator;
  readonly folder: string;
  /** The token of an admin, as the data folder holds it. */
  readonly admin: string;
  /** With the token of an admin where no other is given. */
  ask(method: string, path: string, body?: unknown, token?: string): Promise<ApiAnswer>;
  newToken(scope: ApiScope, team?: string): Promise<{ id: string; token: string }>;
  client(): ApiClient;
  /** Ends it and opens it again on the same folder, which may be changed in between. */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

export interface ApiServerOptions extends Partial<ServerOptions> {
  host?: Parameters<Server['host']>[0];
}

export async function openApiServer({ host = {}, ...given }: ApiServerOptions = {}): Promise<ApiServer> {
  const folder = given.folder ?? mkdtempSync(join(tmpdir(), 'webfarer-api-'));
  let coordinator: Coordinator;
  async function open(): Promise<Server> {
    const opened = await openServer({
      version: '1.2.3',
      listen: { host: '127.0.0.1', port: 0 },
      advertise: undefined,
      expectsWorker: false,
      ...given,
      folder,
    });
    coordinator = await opened.host(host);
    await opened.ready();
    return opened;
  }
  let server = await open();
  const admin = () => readFileSync(join(folder, 'operator.token'), 'utf8').trim();

  async function ask(method: string, path: string, body?: unknown, token = admin()): Promise<ApiAnswer> {
    const response = await fetch(server.url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  }

  return {
    get server() {
      return server;
    },
    get coordinator() {
      return coordinator;
    },
    folder,
    get admin() {
      return admin();
    },
    ask,
    async newToken(scope, team = 'default') {
      const { status, body } = await ask('POST', '/v1/tokens', { scope, team });
      if (status !== 201) throw new Error(`no token: ${JSON.stringify(body)}`);
      return body as { id: string; token: string };
    },
    client: () => createClient({ url: server.url, token: admin(), fetch }),
    async restart(meanwhile) {
      await server.stop();
      await meanwhile?.();
      server = await open();
    },
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
