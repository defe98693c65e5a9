import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { isLoopback, type ListenAddress } from '@webfarer/coordinator';
import { isCrossOrigin, openHttpServer } from '@webfarer/coordinator/server';
import type { WebStandardStreamableHTTPServerTransport as Transport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { type AgentServer, sdk } from './mcp-server.ts';

export interface HttpOptions {
  listen: ListenAddress;
  /** Undefined: whoever reaches the port, which then must be a loopback address. */
  token: string | undefined;
}

export interface HttpAgents {
  readonly address: ListenAddress;
  stop(): Promise<void>;
}

export const mcpPath = '/mcp';
const mostSessions = 100;
const maxBodyBytes = 1_048_576;

/** Serves clients over HTTP: each `initialize` begins a session, which lasts until its client ends it. */
export async function serveHttp(agents: AgentServer, { listen, token }: HttpOptions): Promise<HttpAgents> {
  const { WebStandardStreamableHTTPServerTransport: HttpTransport } = await sdk(
    () => import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
  );
  /** The one that was used longest ago first. */
  const sessions = new Map<string, Transport>();

  async function begin(): Promise<Transport> {
    const transport: Transport = new HttpTransport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize: maxBodyBytes,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    // Its optional members may be undefined, which the interface leaves out.
    await agents
      .forClient()
      .connect(transport as Parameters<ReturnType<AgentServer['forClient']>['connect']>[0]);
    const [oldest] = sessions;
    if (oldest && sessions.size >= mostSessions) {
      sessions.delete(oldest[0]);
      await oldest[1].close();
    }
    return transport;
  }

  async function answer(request: Request): Promise<Response> {
    const refused = refusal(request, { token, isOpen: isLoopback(listen.host) && token === undefined });
    if (refused) return refused;
    const id = request.headers.get('mcp-session-id');
    if (id === null) return await (await begin()).handleRequest(request);
    const transport = sessions.get(id);
    if (!transport) return problem(404, 'There is no such session. Begin with initialize.');
    sessions.delete(id);
    sessions.set(id, transport);
    return await transport.handleRequest(request);
  }

  const server = await openHttpServer({ listen, app: answer, upgrades: {}, tls: undefined });
  return {
    address: server.address,
    async stop() {
      await agents.stop();
      for (const transport of sessions.values()) await transport.close();
      await server.stop();
    },
  };
}

interface Door {
  token: string | undefined;
  /** No token is needed: only this machine may come in, under its own name. */
  isOpen: boolean;
}

/**
 * A page in a browser of this machine can send requests to it, under the page's own name (another origin) or under a name
 * that its owner has pointed at this machine (DNS rebinding). Neither is let in.
 */
function refusal(request: Request, { token, isOpen }: Door): Response | undefined {
  const header = (name: string) => request.headers.get(name) ?? undefined;
  if (pathOf(request) !== mcpPath) return problem(404, `There is nothing here but ${mcpPath}.`);
  if (isCrossOrigin(header)) return problem(403, 'A browser sent the request from another site.');
  const host = (header('host') ?? '').replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  if (isOpen && !isLoopback(host)) return problem(403, 'The request names another host than this machine.');
  if (token === undefined || isSame(header('authorization') ?? '', `Bearer ${token}`)) return undefined;
  return problem(401, 'The request needs the token: Authorization: Bearer TOKEN.');
}

function pathOf({ url }: Request): string {
  return /^[a-z]+:\/\/[^/]*([^?#]*)/i.exec(url)?.[1] ?? '';
}

function isSame(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

function problem(status: number, message: string): Response {
  const body = { jsonrpc: '2.0', error: { code: -32_000, message }, id: null };
  return Response.json(body, { status });
}
