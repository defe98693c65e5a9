import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebfarerError } from '@webfarer/protocol';
import type { AgentWorld } from './agent-world.ts';
import { folderTitle } from './agent-folders.ts';
import { createRunningCrawls } from './running-crawls.ts';

/** Serves any number of clients from one world. */
export interface AgentServer {
  /** For one client, to be connected to its transport. */
  forClient(): McpServer;
  /** Stops what runs; each crawl can be resumed from its folder. */
  stop(): Promise<void>;
}

export async function createAgentServer(world: AgentWorld): Promise<AgentServer> {
  const { McpServer: Server } = await sdk(() => import('@modelcontextprotocol/sdk/server/mcp.js'));
  const { addTools, instructions } = await import('./tools.ts');
  const { rules, opener } = world;
  const running = createRunningCrawls(rules.maxCrawls, (folder) => folderTitle(rules.folder, folder));
  return {
    forClient() {
      const about = { name: 'webfarer', title: 'Webfarer', version: opener.version };
      const server = new Server(about, { instructions, maxToolInputElements: 200 });
      addTools(server, world, running);
      return server;
    },
    stop: () => running.stop(),
  };
}

/** A part of the SDK, which is installed only by those who need it. */
export async function sdk<T>(load: () => Promise<T>): Promise<T> {
  return await load().catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new WebfarerError(
      'usage',
      'webfarer mcp needs @modelcontextprotocol/sdk, which is not installed.',
      {
        next: 'Install it beside webfarer:  npm install @modelcontextprotocol/sdk',
        cause: error,
      },
    );
  });
}
