import { jsonLine } from '@webfarer/protocol/crawl';
import type { Command } from 'commander';
import type { CliContext } from '../../context/context.ts';
import { plural } from '../../terminal/format.ts';
import { clean } from '../../terminal/text.ts';
import { addStoreAddress, requireStore, type StoreAddress } from './store-address.ts';

export function addSnapshotCommand(store: Command, context: CliContext): void {
  addStoreAddress(store.command('snapshot'))
    .description(
      'has every shard write its file as of one moment, while crawls run; copy the files that it names',
    )
    .action((options: StoreAddress) => snapshot(context, options));
}

async function snapshot({ terminal, clock }: CliContext, options: StoreAddress): Promise<void> {
  const { snapshotStore } = await import('@webfarer/coordinator/redis');
  const done = await snapshotStore({
    url: requireStore(options),
    insecure: options.insecureStore ?? false,
    clock,
    onSaved(address) {
      if (!options.json) terminal.err(`  ${clean(address)} has written its file\n`);
    },
  });
  if (options.json) return terminal.out(jsonLine({ ...done }));
  const { shards, pausedMs } = done;
  terminal.out(
    `  ${plural(shards.length, 'file')} of one moment; writes waited for ${Math.round(pausedMs)} ms\n`,
  );
  for (const { address, file } of shards)
    terminal.out(`  ${clean(address)}   ${file === undefined ? 'its RDB file' : clean(file)}\n`);
  terminal.out('  Copy them before the servers write their next ones.\n');
}
