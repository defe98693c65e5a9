import type { Readable, Writable } from 'node:stream';
import { type AgentServer, sdk } from './mcp-server.ts';

/** Serves the client that started this process, until it closes its end or `signal` is aborted. */
export async function serveStdio(
  agents: AgentServer,
  { input, output, signal }: { input: Readable; output: Writable; signal: AbortSignal },
): Promise<void> {
  const { StdioServerTransport } = await sdk(() => import('@modelcontextprotocol/sdk/server/stdio.js'));
  const server = agents.forClient();
  const over = Promise.withResolvers<void>();
  const end = () => over.resolve();
  server.server.onclose = end;
  // The transport does not notice that its client is gone.
  input.once('end', end).once('close', end);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  await server.connect(new StdioServerTransport(input, output));
  await over.promise;
  await agents.stop();
  await server.close();
}
