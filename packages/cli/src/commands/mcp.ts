import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isLoopback, openSharedLedger, parseListen, urlOf } from '@webfarer/coordinator';
import { WebfarerError } from '@webfarer/protocol';
import { hostPattern } from '@webfarer/protocol/url';
import type { CliContext } from '../context/context.ts';
import { shownPath } from '../folder/folders.ts';
import { type CrawlOptions, wholeNumber } from '../job/crawl-options.ts';
import type { AgentRules } from '../mcp/agent-rules.ts';
import type { AgentServer } from '../mcp/mcp-server.ts';
import { identityKeyText } from '../secrets/secret-options.ts';
import { addPolitenessOptions } from './crawl.ts';
import type { CommandHome } from './home.ts';

interface McpOptions extends CrawlOptions {
  folder: string;
  maxPages: string;
  maxCrawls: string;
  allow?: string;
  http?: string | true;
  tokenFile?: string;
}

const usualListen = '127.0.0.1:7312';

export function addMcpCommand({ program, context }: CommandHome): void {
  const command = program
    .command('mcp')
    .description(
      'Serves the Model Context Protocol on standard input and output, for a client that starts this command, or with --http on a port. Agents get the tools fetch_page, map_site, crawl_site, search_crawl and explain_url. robots.txt, pauses and the limits here hold whatever an agent asks for.',
    )
    .optionsGroup('Limits for agents:')
    .option('--folder <folder>', 'where crawls are kept; agents reach no other', './webfarer-agents')
    .option('--max-pages <n>', 'pages of one crawl, and of one host by fetch_page', '500')
    .option('--max-crawls <n>', 'crawls at once', '2')
    .option('--allow <hosts>', 'contact only these, such as example.org,*.example.net')
    .optionsGroup('Over HTTP:')
    .option('--http [address:port]', `serve on a port (${usualListen}) in place of standard input`)
    .option(
      '--token-file <file>',
      'token that clients must send; needed beyond this machine (or WEBFARER_TOKEN)',
    );
  addPolitenessOptions(command);
  command
    .option('--identity-key <file>', identityKeyText)
    .action(async (options: McpOptions) => await serve(context, options));
}

async function serve(context: CliContext, options: McpOptions): Promise<void> {
  const rules = rulesFrom(context, options);
  await mkdir(rules.folder, { recursive: true });
  const { createAgentServer } = await import('../mcp/mcp-server.ts');
  const { createFolderTurns } = await import('../mcp/folder-turns.ts');
  const agents = await createAgentServer({
    local: context.local,
    clock: context.clock,
    opener: { version: context.version, ledger: ledgerOf(context, rules.folder) },
    rules,
    turns: createFolderTurns(pagesAtOnce),
  });
  const stop = new AbortController();
  const unlisten = context.onInterrupt(() => stop.abort());
  try {
    await (options.http === undefined
      ? onStdio(context, agents, stop.signal)
      : onHttp(context, agents, { options, signal: stop.signal }));
  } finally {
    unlisten();
  }
}

/** Pages that are fetched at the same time, of as many hosts. */
const pagesAtOnce = 8;

function rulesFrom({ cwd }: CliContext, options: McpOptions): AgentRules {
  const { folder, maxPages, maxCrawls, allow, http: _http, tokenFile: _tokenFile, ...requests } = options;
  return {
    folder: resolve(cwd, folder),
    maxPages: atLeastOne(maxPages, '--max-pages'),
    maxCrawls: atLeastOne(maxCrawls, '--max-crawls'),
    allow: (allow?.split(',') ?? []).map(allowedHost),
    requests,
  };
}

function atLeastOne(text: string, option: string): number {
  const value = wholeNumber(text, option);
  if (value > 0) return value;
  throw new WebfarerError('usage', `${option} needs a number above 0.`);
}

function allowedHost(text: string): string {
  const pattern = hostPattern(text.trim());
  if (pattern !== undefined) return pattern;
  throw new WebfarerError('usage', `--allow ${text} is not a host name.`, {
    next: 'For example --allow example.org,*.example.net',
  });
}

/** Crawls of agents always take turns, with each other at least. */
function ledgerOf({ ledger }: CliContext, folder: string): string {
  const own = join(folder, 'hosts.db');
  if (ledger === undefined) return own;
  const shared = openSharedLedger(ledger);
  if (!('ledger' in shared)) return own;
  shared.ledger.close();
  return ledger;
}

async function onStdio(
  { piped, stdout, terminal, launcher }: CliContext,
  agents: AgentServer,
  signal: AbortSignal,
): Promise<void> {
  if (!piped)
    throw new WebfarerError(
      'usage',
      'webfarer mcp is started by an MCP client, which speaks to it through a pipe.',
      {
        next: `Configure the client with the command "${launcher} mcp" (webfarer docs mcp shows how), or add --http.`,
      },
    );
  terminal.err('  serving MCP on standard input\n');
  const { serveStdio } = await import('../mcp/serve-stdio.ts');
  await serveStdio(agents, { input: piped, output: stdout, signal });
}

async function onHttp(
  context: CliContext,
  agents: AgentServer,
  { options, signal }: { options: McpOptions; signal: AbortSignal },
): Promise<void> {
  const { terminal, cwd } = context;
  const listen = parseListen(typeof options.http === 'string' ? options.http : usualListen);
  const { givenToken } = await import('../network/given-token.ts');
  const token = await givenToken(context, options.tokenFile);
  if (token === undefined && !isLoopback(listen.host))
    throw new WebfarerError(
      'usage',
      `${listen.host} can be reached from other machines, so clients need a token.`,
      {
        next: 'Put a long random word into a file for --token-file, or into WEBFARER_TOKEN.',
      },
    );
  const { mcpPath, serveHttp } = await import('../mcp/serve-http.ts');
  const server = await serveHttp(agents, { listen, token });
  terminal.out(
    `  serving MCP at ${urlOf(server.address)}${mcpPath}   crawls in ${shownPath(options.folder, cwd)}\n`,
  );
  await new Promise<void>((ended) => {
    signal.addEventListener('abort', () => ended(), { once: true });
    if (signal.aborted) ended();
  });
  await server.stop();
}
