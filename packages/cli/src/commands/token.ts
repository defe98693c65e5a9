import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  folderTokens,
  newToken,
  type StoredToken,
  storedToken,
  type TokenRole,
  tokenRoles,
  type TokenStore,
} from '@webfarer/coordinator';
import { WebfarerError } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl';
import { writeDurably } from '@webfarer/protocol/node';
import { Argument, type Command } from 'commander';
import type { CliContext } from '../context/context.ts';
import { shownPath } from '../folder/folders.ts';
import { tableLines } from '../terminal/table.ts';
import { usableColumns } from '../terminal/terminal.ts';
import { clean, painter } from '../terminal/text.ts';
import type { CommandHome } from './home.ts';
import { addStoreAddress, requireStore, type StoreAddress } from './store-address.ts';

interface TokenOptions extends StoreAddress {
  data?: string;
  tokenFile?: string;
}

/** `token list`, `new` and `revoke`: who may work for a network and who may look at it. */
export function addTokenCommand({ program, context }: CommandHome): void {
  const token = program
    .command('token')
    .summary('manage the tokens of workers and operators')
    .description(
      'Lists, creates and revokes tokens, for a coordinator without a store (--data) or for all coordinators of a store (--store). Several tokens can be valid at once; a revoked one is rejected within five seconds.',
    )
    .helpCommand(false);
  addPlace(token.command('list'))
    .description('lists the tokens by id; only their hashes are stored')
    .action((options: TokenOptions) =>
      withTokens(context, options, (store) => list(context, store, options)),
    );
  addPlace(token.command('new'))
    .description('creates a token; existing ones stay valid')
    .addArgument(new Argument('<role>', 'who gets it').choices(tokenRoles))
    .option('--token-file <file>', 'where to write it, readable by you only (otherwise it is printed once)')
    .action((role: TokenRole, options: TokenOptions) =>
      withTokens(context, options, (store) => make(context, store, { ...options, role })),
    );
  addPlace(token.command('revoke'))
    .description('revokes a token and closes the connections that use it')
    .argument('<id>', 'as token list shows it')
    .action((id: string, options: TokenOptions) =>
      withTokens(context, options, (store) => revoke(context, store, { ...options, id })),
    );
}

function addPlace(command: Command): Command {
  return addStoreAddress(command.option('--data <folder>', 'of a coordinator that has no store'));
}

async function withTokens(
  context: CliContext,
  options: TokenOptions,
  work: (store: TokenStore) => Promise<void>,
): Promise<void> {
  if (options.data !== undefined) {
    const folder = resolve(context.cwd, options.data);
    if (!existsSync(join(folder, 'coordinator.json')))
      throw new WebfarerError('not-found', `${options.data} is not the data folder of a coordinator`, {
        next: 'Name the folder that the coordinator was started with as --data.',
      });
    return await work(folderTokens(folder));
  }
  const { openKeeper } = await import('@webfarer/coordinator/redis');
  const { clock } = context;
  const insecure = options.insecureStore ?? false;
  const keeper = await openKeeper({ url: requireStore(options), insecure, clock });
  try {
    await work(keeper.tokens);
  } finally {
    await keeper.close();
  }
}

async function list({ terminal }: CliContext, store: TokenStore, { json }: TokenOptions): Promise<void> {
  const tokens = (await store.all()).toSorted((a, b) => a.createdAtMs - b.createdAtMs);
  if (json) return terminal.out(jsonLine({ tokens: tokens.map(shown) }));
  if (tokens.length === 0)
    return terminal.out('  no token yet; the coordinator makes one at its first start\n');
  const columns = [
    { title: 'id', value: ({ id }: StoredToken) => id },
    { title: 'for', value: ({ role }: StoredToken) => role },
    { title: 'made', value: ({ createdAtMs }: StoredToken) => day(createdAtMs) },
    { title: 'by', value: ({ note }: StoredToken) => clean(note), wide: true },
    {
      title: 'state',
      value: ({ revokedAtMs }: StoredToken) =>
        revokedAtMs === undefined ? 'accepted' : `revoked ${day(revokedAtMs)}`,
    },
  ];
  const size = { columns: usableColumns(terminal), paint: painter(terminal.colour) };
  for (const line of tableLines(tokens, columns, size)) terminal.out(`${line}\n`);
}

/** The digest is not shown either. */
function shown({ digest: _digest, ...token }: StoredToken): Omit<StoredToken, 'digest'> {
  return token;
}

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
}

async function make(
  { terminal, clock, cwd }: CliContext,
  store: TokenStore,
  { role, tokenFile, json }: TokenOptions & { role: TokenRole },
): Promise<void> {
  const token = newToken();
  const stored = storedToken(token, { role, createdAtMs: clock.now(), note: 'webfarer token new' });
  const file = tokenFile === undefined ? undefined : resolve(cwd, tokenFile);
  if (file !== undefined) await writeDurably(file, `${token}\n`, { mode: 0o600 });
  await store.put(stored);
  if (json)
    return terminal.out(jsonLine({ ...shown(stored), ...(file === undefined ? { token } : { file }) }));
  const where = file === undefined ? token : `in ${shownPath(file, cwd)}`;
  terminal.out(
    `  ${role} token ${stored.id}: ${where}\n  accepted within five seconds; older ones remain valid until they are revoked\n`,
  );
}

async function revoke(
  { terminal, clock }: CliContext,
  store: TokenStore,
  { id, json }: TokenOptions & { id: string },
): Promise<void> {
  const found = (await store.all()).find((token) => token.id === id);
  if (!found)
    throw new WebfarerError('not-found', `there is no token ${id}`, {
      next: 'webfarer token list shows them.',
    });
  const revoked = { ...found, revokedAtMs: found.revokedAtMs ?? clock.now() };
  await store.put(revoked);
  if (json) return terminal.out(jsonLine(shown(revoked)));
  terminal.out(`  ${found.role} token ${id} is revoked; coordinators reject it within five seconds\n`);
}
