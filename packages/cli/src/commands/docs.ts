import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import { tableLines } from '../terminal/table.ts';
import { usableColumns } from '../terminal/terminal.ts';
import { clean, painter } from '../terminal/text.ts';
import type { CommandHome } from './home.ts';

/** Beside the built code in the package, or beside the packages in a checkout. */
const places = ['../../docs', '../../../../docs'].map((path) => resolve(import.meta.dirname, path));

export function addDocsCommand({ program, context }: CommandHome): void {
  program
    .command('docs')
    .description('Lists the guides of this version and where they are, or prints one of them as Markdown.')
    .argument('[topic]', 'a guide: library, job-file, recipes, recipes/markdown, …')
    .action(async (topic: string | undefined) => {
      const folder = places.find((place) => existsSync(join(place, 'library.md')));
      if (folder === undefined)
        throw new WebfarerError('not-found', 'The guides are missing from this installation.', {
          next: 'Install the package again.',
        });
      const topics = await topicsIn(folder);
      if (topic !== undefined) {
        const file = topics.get(topic);
        if (file !== undefined) {
          context.stdout.write(await readFile(file, 'utf8'));
          return;
        }
        throw new WebfarerError('not-found', `There is no guide "${topic}".`, {
          next: `One of: ${[...topics.keys()].join(', ')}`,
        });
      }
      const rows = await Promise.all(
        [...topics].map(async ([name, file]) => ({ name, title: titleOf(await readFile(file, 'utf8')) })),
      );
      const { terminal } = context;
      const columns = [
        { title: 'guide', value: ({ name }: (typeof rows)[number]) => name },
        { title: 'about', value: ({ title }: (typeof rows)[number]) => title, wide: true },
      ];
      const size = { columns: usableColumns(terminal), paint: painter(terminal.colour) };
      for (const line of tableLines(rows, columns, size)) terminal.out(`${line}\n`);
      terminal.out(`  in ${clean(folder)}\n`);
    });
}

/** The file of each guide by its name; the recipes are a folder, whose README is its table of contents. */
async function topicsIn(folder: string): Promise<Map<string, string>> {
  const guides = await readdir(folder);
  const recipes = await readdir(join(folder, 'recipes'));
  return new Map(
    [...guides, ...recipes.map((name) => `recipes/${name}`)]
      .filter((name) => name.endsWith('.md'))
      .map((name): [string, string] => [name.slice(0, -3).replace(/\/README$/, ''), join(folder, name)])
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? '';
}
