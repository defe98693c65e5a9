import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  adoptTokens,
  folderRegistry,
  folderTokens,
  openTokenDocuments,
  type Registry,
  type TokenDocuments,
  type TokenInfo,
} from '@webfarer/coordinator';
import { WebfarerError } from '@webfarer/protocol';
import { type ApiScope, apiScopes } from '@webfarer/protocol/api';
import { jsonLine } from '@webfarer/protocol/crawl';
import { defaultTeam, parseDuration } from '@webfarer/protocol/job';
import { writeDurably } from '@webfarer/protocol/node';
import { Argument, type Command } from 'commander';
import type { CliContext } from '../../context/context.ts';
import { shownPath } from '../../folder/folders.ts';
import { tableLines } from '../../terminal/table.ts';
import { usableColumns } from '../../terminal/terminal.ts';
import { clean, painter } from '../../terminal/text.ts';
import type { CommandHome } from '../home.ts';
import { addStoreAddress, requireStore, type StoreAddress } from './store-address.ts';

interface TokenOptions extends StoreAddress {
  data?: string;
  tokenFile?: string;
  team?: string;
  note?: string;
  expires?: string;
  overlap?: string;
}

/** `token ls`, `new`, `rotate` and `revoke`: who may work for a network, look at it or steer it. */
export function addTokenCommand({ program, context }: CommandHome): void {
  const token = program
    .command('token')
    .description(
      'Lists, creates, rotates and revokes tokens, for a coordinator without a store (--data) or for all coordinators of a store (--store). Several tokens can be valid at once; a revoked one is rejected within five seconds.',
    )
    .helpCommand(false);
  addPlace(token.command('ls').alias('list'))
    .description('lists the tokens by id; only their hashes are stored')
    .action((options: TokenOptions) => withTokens(context, options, (at) => list(context, at, options)));
  addOutput(addPlace(token.command('new')))
    .description('creates a token; existing ones stay valid')
    .addArgument(new Argument('<scope>', 'what it is good for').choices(apiScopes))
    .option('--team <name>', 'whose crawls it is for', defaultTeam)
    .option('--note <text>', 'who has it and what for')
    .option('--expires <time>', 'how long it is valid, such as 90d (otherwise until it is revoked)')
    .action((scope: ApiScope, options: TokenOptions) =>
      withTokens(context, options, (at) => make(context, at, { ...options, scope })),
    );
  addOutput(addPlace(token.command('rotate')))
    .description('gives a token a new secret; the old one stays valid for a while')
    .argument('<id>', 'as token ls shows it')
    .option('--overlap <time>', 'how long the old secret stays valid', '24h')
    .action((id: string, options: TokenOptions) =>
      withTokens(context, options, (at) => rotate(context, at, { ...options, id })),
    );
  addPlace(token.command('revoke'))
    .description('revokes a token and closes the connections that use it')
    .argument('<id>', 'as token ls shows it')
    .action((id: string, options: TokenOptions) =>
      withTokens(context, options, (at) => revoke(context, at, { ...options, id })),
    );
}

function addPlace(command: Command): Command {
  return addStoreAddress(
    command.option('--data <folder>', 'of a coordinator that has no store (default: the only one here)'),
  );
}

function addOutput(command: Command): Command {
  return command.option(
    '--token-file <file>',
    'where to write it, readable by you only (otherwise it is printed once)',
  );
}

/** The tokens of a network. */
interface TokenPlace {
  tokens: TokenDocuments;
  /** Records a change in the audit log. */
  note(action: string, id: string): Promise<void>;
}

async function withTokens(
  context: CliContext,
  options: TokenOptions,
  work: (at: TokenPlace) => Promise<void>,
): Promise<void> {
  const { clock } = context;
  const { dataFolderHere } = await import('../../network/coordinator-at.ts');
  const here = options.store === undefined ? await dataFolderHere(context) : undefined;
  const data = options.data ?? here;
  if (data !== undefined) {
    const folder = resolve(context.cwd, data);
    if (!existsSync(join(folder, 'coordinator.json')))
      throw new WebfarerError(
        'not-found',
        `${shownPath(folder, context.cwd)} is not the data folder of a coordinator`,
        {
          next: 'Name the folder that the coordinator was started with as --data.',
        },
      );
    const registry = folderRegistry(folder, clock);
    try {
      return await work(await placeIn(context, registry, folderTokens(folder)));
    } finally {
      await registry.close();
    }
  }
  const { openKeeper } = await import('@webfarer/coordinator/redis');
  const insecure = options.insecureStore ?? false;
  const keeper = await openKeeper({ url: requireStore(options), insecure, clock });
  try {
    await work(await placeIn(context, keeper.registry, keeper.earlierTokens));
  } finally {
    await keeper.close();
  }
}

async function placeIn(
  { clock }: CliContext,
  registry: Registry,
  earlier: Parameters<typeof adoptTokens>[0],
): Promise<TokenPlace> {
  const tokens = openTokenDocuments(registry, clock);
  await adoptTokens(earlier, tokens);
  const entry = { who: 'webfarer token', team: '', detail: '{}' };
  return {
    tokens,
    note: (action, id) => registry.note({ ...entry, atMs: clock.now(), action, what: `/v1/tokens/${id}` }),
  };
}

async function list(
  { terminal, clock }: CliContext,
  { tokens: documents }: TokenPlace,
  { json }: TokenOptions,
): Promise<void> {
  const found: TokenInfo[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await documents.list({ after, limit: 500 });
    found.push(...page.tokens);
    after = page.next;
  }
  const tokens = found.toSorted((a, b) => a.createdAtMs - b.createdAtMs);
  if (json) return terminal.out(jsonLine({ tokens }));
  if (tokens.length === 0)
    return terminal.out('  no token yet; the coordinator makes one at its first start\n');
  const columns = [
    { title: 'id', value: ({ id }: TokenInfo) => id },
    { title: 'scope', value: ({ scope }: TokenInfo) => scope },
    { title: 'team', value: ({ team }: TokenInfo) => clean(team) },
    { title: 'made', value: ({ createdAtMs }: TokenInfo) => day(createdAtMs) },
    {
      title: 'used',
      value: ({ lastUsedAtMs }: TokenInfo) => (lastUsedAtMs === undefined ? '' : day(lastUsedAtMs)),
    },
    { title: 'note', value: ({ note }: TokenInfo) => clean(note), wide: true },
    { title: 'state', value: (token: TokenInfo) => stateOf(token, clock.now()) },
  ];
  const size = { columns: usableColumns(terminal), paint: painter(terminal.colour) };
  for (const line of tableLines(tokens, columns, size)) terminal.out(`${line}\n`);
}

function stateOf({ revokedAtMs, expiresAtMs, previousEndsAtMs }: TokenInfo, nowMs: number): string {
  if (revokedAtMs !== undefined) return `revoked ${day(revokedAtMs)}`;
  if (expiresAtMs !== undefined)
    return expiresAtMs <= nowMs ? `expired ${day(expiresAtMs)}` : `accepted until ${day(expiresAtMs)}`;
  if (previousEndsAtMs !== undefined && previousEndsAtMs > nowMs)
    return `accepted; old secret until ${day(previousEndsAtMs)}`;
  return 'accepted';
}

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
}

async function make(
  context: CliContext,
  { tokens, note }: TokenPlace,
  options: TokenOptions & { scope: ApiScope },
): Promise<void> {
  const { scope, team = defaultTeam, expires } = options;
  const { token, info } = await tokens.create({
    scope,
    team,
    note: options.note ?? 'webfarer token new',
    expiresInMs: expires === undefined ? undefined : timeOf('expires', expires),
  });
  await note('createToken', info.id);
  await handOut(context, options, { token, info });
  if (!options.json)
    context.terminal.out('  accepted within five seconds; older ones remain valid until they are revoked\n');
}

/** Where the file cannot be written, nobody knows the secret: the token exists and is of no use. */
async function handOut(
  { terminal, cwd }: CliContext,
  { tokenFile, json }: TokenOptions,
  { token, info }: { token: string; info: TokenInfo },
): Promise<void> {
  const file = tokenFile === undefined ? undefined : resolve(cwd, tokenFile);
  if (file !== undefined) await writeDurably(file, `${token}\n`, { mode: 0o600 });
  if (json) return terminal.out(jsonLine({ ...info, ...(file === undefined ? { token } : { file }) }));
  const where = file === undefined ? token : `in ${shownPath(file, cwd)}`;
  terminal.out(`  ${info.scope} token ${info.id}: ${where}\n`);
}

function timeOf(option: string, text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  throw new WebfarerError('usage', `--${option} ${text} is not a time`, { next: 'For example 24h or 90d.' });
}

async function rotate(
  context: CliContext,
  { tokens, note }: TokenPlace,
  options: TokenOptions & { id: string },
): Promise<void> {
  const { id, overlap = '24h' } = options;
  const rotated = await tokens.rotate(id, timeOf('overlap', overlap));
  if (!rotated) throw noSuch(id, 'that is valid');
  await note('rotateToken', id);
  await handOut(context, options, rotated);
  if (!options.json) context.terminal.out(`  the old secret stays valid for ${overlap}\n`);
}

async function revoke(
  { terminal }: CliContext,
  { tokens, note }: TokenPlace,
  { id, json }: TokenOptions & { id: string },
): Promise<void> {
  const revoked = await tokens.revoke(id);
  if (!revoked) throw noSuch(id);
  await note('revokeToken', id);
  if (json) return terminal.out(jsonLine(revoked));
  terminal.out(`  ${revoked.scope} token ${id} is revoked; coordinators reject it within five seconds\n`);
}

function noSuch(id: string, more = ''): WebfarerError {
  return new WebfarerError('not-found', `there is no token ${id}${more === '' ? '' : ` ${more}`}`, {
    next: 'webfarer token ls shows them.',
  });
}
