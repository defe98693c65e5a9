import type { StoreKeeper } from '@webfarer/coordinator/redis';
import { jsonLine } from '@webfarer/protocol/crawl';
import type { Command } from 'commander';
import type { CliContext } from '../../context/context.ts';
import { plural } from '../../terminal/format.ts';
import { addStoreAddress, requireStore, type StoreAddress } from './store-address.ts';

/** `store crawls` and `store forget`: what is kept in a store, and getting rid of it. */
export function addCrawlsCommands(store: Command, context: CliContext): void {
  addStoreAddress(store.command('crawls'))
    .description('lists the crawls in a store')
    .action((options: StoreAddress) =>
      withKeeper(context, options, (keeper) => list(context, keeper, options)),
    );
  addStoreAddress(store.command('forget'))
    .argument('<name>', 'of the crawl')
    .description('erases an idle crawl: its queue, its known URLs and its results')
    .action((name: string, options: StoreAddress) =>
      withKeeper(context, options, (keeper) => forget(context, keeper, { ...options, name })),
    );
}

async function withKeeper(
  { clock }: CliContext,
  options: StoreAddress,
  work: (keeper: StoreKeeper) => Promise<void>,
): Promise<void> {
  const { openKeeper } = await import('@webfarer/coordinator/redis');
  const keeper = await openKeeper({
    url: requireStore(options),
    insecure: options.insecureStore ?? false,
    clock,
  });
  try {
    await work(keeper);
  } finally {
    await keeper.close();
  }
}

async function list({ terminal }: CliContext, keeper: StoreKeeper, { json }: StoreAddress): Promise<void> {
  const found = await keeper.list();
  if (json) return terminal.out(jsonLine({ ...found }));
  if (found.crawls.length + found.halfErased.length === 0) terminal.out('  no crawl in this store\n');
  for (const { name, state, alive } of found.crawls)
    terminal.out(`  ${name}  ${state}${alive ? ', in use' : ''}\n`);
  for (const name of found.halfErased)
    terminal.out(`  ${name}  partly erased; finish with:  webfarer store forget ${name} --store URL\n`);
}

/** A line a second while it takes longer. */
async function forget(
  { terminal, clock }: CliContext,
  keeper: StoreKeeper,
  { name, json }: StoreAddress & { name: string },
): Promise<void> {
  let last = clock.now();
  const erased = await keeper.forget(name, (soFar) => {
    if (json || clock.now() - last < 1_000) return;
    last = clock.now();
    terminal.out(`  ${plural(soFar, 'key')} erased so far\n`);
  });
  if (json) return terminal.out(jsonLine({ forgotten: name, keys: erased }));
  terminal.out(
    `  ${name} is erased, ${plural(erased, 'key')}. Folders that took part in it keep what they saved.\n`,
  );
}
