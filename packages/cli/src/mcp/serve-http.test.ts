import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { afterEach, expect, test } from 'vitest';
import type { AgentServer } from './mcp-server.ts';
import { type HttpAgents, serveHttp } from './serve-http.ts';

let server: HttpAgents | undefined;
afterEach(async () => await server?.stop());

const agents: AgentServer = {
  forClient: () => new McpServer({ name: 'test', version: '1' }),
  stop: async () => {},
};

async function serving(token: string | undefined): Promise<string> {
  server = await serveHttp(agents, { listen: { host: '127.0.0.1', port: 0 }, token });
  return `http://127.0.0.1:${server.address.port}`;
}

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};

async function post(url: string, headers: Record<string, string> = {}): Promise<Response> {
  const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...usual, ...headers },
    body: JSON.stringify(hello),
  });
  await answer.text();
  return answer;
}

test('a token is asked for on every request, where there is one', async () => {
  const at = await serving('a long word');
  const statuses = await Promise.all(
    [{}, { authorization: 'Bearer other' }, { authorization: 'a long word' }].map(
      async (headers) => (await post(`${at}/mcp`, headers as Record<string, string>)).status,
    ),
  );
  expect(statuses).toEqual([401, 401, 401]);
  const right = { authorization: 'Bearer a long word' };
  const begun = await post(`${at}/mcp`, right);
  expect(begun.status).toBe(200);
  const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
  const stolen = await fetch(`${at}/mcp`, { method: 'DELETE', headers: session });
  expect(stolen.status).toBe(401);
  const ended = await fetch(`${at}/mcp`, { method: 'DELETE', headers: { ...session, ...right } });
  expect(ended.status).toBe(200);
  expect((await post(`${at}/mcp`, { ...session, ...right })).status).toBe(404);
});

test('nothing else is there, and the session that was used longest ago makes room for a new one', async () => {
  const at = await serving(undefined);
  for (const path of ['/', '/mcp/x', '/sse']) expect((await post(`${at}${path}`)).status).toBe(404);
  const ids: string[] = [];
  for (let n = 0; n < 101; n++) ids.push((await post(`${at}/mcp`)).headers.get('mcp-session-id') ?? '');
  expect(new Set(ids).size).toBe(101);
  const end = async (id: string | undefined) =>
    (await fetch(`${at}/mcp`, { method: 'DELETE', headers: { 'mcp-session-id': id ?? '' } })).status;
  expect([await end(ids[0]), await end(ids[1]), await end(ids[100])]).toEqual([404, 200, 200]);
});
