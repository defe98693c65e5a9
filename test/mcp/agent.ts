import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { FakeWeb } from '../fake-web/server.ts';
import { commandPath } from '../prove/lab.ts';

/** Pause between two requests to a host: no answer of the fake web takes as long. */
export const agentGapMs = 150;

/** A machine may be busy: what is judged is what was requested, not how long it took. */
const patienceMs = 600_000;

export interface ToolAnswer {
  isError: boolean;
  /** What the tool says of its work. */
  facts: Record<string, unknown>;
  /** All that it answered. */
  text: string;
}

/** An agent that uses `webfarer mcp` through the client of the protocol's own SDK. */
export interface Agent {
  client: Client;
  /** Lines and messages that were not of the protocol. */
  strange(): readonly string[];
  call(name: string, args: Record<string, unknown>, options?: RequestOptions): Promise<ToolAnswer>;
  close(): Promise<void>;
}

export interface StdioAgent extends Agent {
  pid: number;
  /** What the server wrote beside the protocol. */
  stderr(): string;
}

/** The command line of a server that can reach the fake web. Later words win over earlier ones. */
export function serverWords(fake: FakeWeb, folder: string, more: readonly string[] = []): string[] {
  const { dns, ca, allowPrivate } = fake.fetch;
  return [
    'mcp',
    '--folder',
    folder,
    '--gap',
    `${agentGapMs}ms`,
    '--ca',
    ca,
    '--contact',
    'https://lab.test/agent',
    ...dns.flatMap((address) => ['--dns', address]),
    ...allowPrivate.flatMap((range) => ['--allow-private', range]),
    ...more,
  ];
}

export interface ServerOptions {
  words: readonly string[];
  /** Where crawls of this machine take turns. */
  state: string;
  /** Another copy of the command, for controls. */
  command?: string;
}

/** Starts the server as a client of an agent does: as a child, on its standard input and output. */
export async function stdioAgent({
  words,
  state,
  command = commandPath,
}: ServerOptions): Promise<StdioAgent> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [command, ...words],
    env: { PATH: process.env['PATH'] ?? '', WEBFARER_STATE: state },
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-20_000);
  });
  const agent = await connected(transport);
  return { ...agent, pid: transport.pid ?? 0, stderr: () => said };
}

export async function httpAgent(url: string, headers: Record<string, string> = {}): Promise<Agent> {
  return await connected(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) as Transport,
  );
}

async function connected(transport: Transport): Promise<Agent> {
  const client = new Client({ name: 'webfarer-test', version: '1.0.0' });
  const noticed: string[] = [];
  let cancelled = 0;
  client.onerror = ({ message }) => void noticed.push(message);
  await client.connect(transport);
  return {
    client,
    strange() {
      // Progress, or even the answer, may be on its way when an agent cancels: of each call one answer at most.
      const isLate = (what: string) => (message: string) =>
        message.startsWith(`Received a ${what} for an unknown`);
      const answers = noticed.filter(isLate('response'));
      const progress = cancelled > 0 ? noticed.filter(isLate('progress notification')) : [];
      const late = new Set([...answers.slice(0, cancelled), ...progress]);
      return noticed.filter((message) => !late.has(message));
    },
    async call(name, args, options) {
      options?.signal?.addEventListener('abort', () => void cancelled++, { once: true });
      const answer = (await client.callTool({ name, arguments: args }, undefined, {
        timeout: patienceMs,
        ...options,
      })) as CallToolResult;
      const text = answer.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
      return { isError: answer.isError === true, facts: answer.structuredContent ?? {}, text };
    },
    close: () => client.close(),
  };
}

/** The URL of a page on a host of the fake web, found by the first word of its name. */
export function pageOn(fake: FakeWeb, host: string, path = '/'): string {
  return `http://${host}.test:${fake.httpPort}${path}`;
}
