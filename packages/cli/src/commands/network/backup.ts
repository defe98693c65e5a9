import { resolve } from 'node:path';
import { backupFolder } from '@webfarer/coordinator';
import { jsonLine } from '@webfarer/protocol/crawl';
import { shownPath } from '../../folder/folders.ts';
import { bytes, plural } from '../../terminal/format.ts';
import { clean } from '../../terminal/text.ts';
import type { CommandHome } from '../home.ts';

interface BackupCommandOptions {
  to: string;
  bodies?: boolean;
  json?: boolean;
}

export function addBackupCommand({ program, context }: CommandHome): void {
  program
    .command('backup')
    .description(
      'Copies the folder of a crawl or of a coordinator, with every database as it is at one moment. To restore, stop what runs in the folder, put the copy in its place and start again: the crawl continues from the copy.',
    )
    .argument('<folder>', 'crawl folder, or the --data folder of a coordinator')
    .requiredOption('--to <folder>', 'the copy; must not exist')
    .option('--bodies', 'also archives, files and mirrors')
    .option('--json', 'the counts as JSON')
    .action(async (named: string, options: BackupCommandOptions) => {
      const { terminal, cwd, clock } = context;
      const to = resolve(cwd, options.to);
      let shownAtMs = clock.now();
      const done = await backupFolder({
        folder: resolve(cwd, named),
        to,
        withBodies: options.bodies === true,
        nowMs: clock.now(),
        onFile(name) {
          if (options.json === true || clock.now() - shownAtMs < 1_000) return;
          shownAtMs = clock.now();
          terminal.err(`  ${clean(name)}\n`);
        },
      });
      if (options.json) return terminal.out(jsonLine({ to, ...done }));
      terminal.out(`  ${plural(done.files, 'file')}, ${bytes(done.bytes)} in ${clean(shownPath(to, cwd))}\n`);
      for (const name of done.gone) terminal.out(`  ${clean(name)} was deleted meanwhile and is not in it\n`);
      if (!options.bodies) terminal.out('  Archives are not in it; --bodies copies them too.\n');
    });
}
