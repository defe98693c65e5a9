import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { placeConsole } from '../console/build-console.ts';
import { folderOf, published, root } from './workspace.ts';

/**
 * Compiles every package into its `dist`, from nothing, with the files its code reads at run time. `unchecked` skips the
 * types, which takes a third of the time: for those who have run `npm run check`.
 */
export async function build({ unchecked = false } = {}): Promise<void> {
  for (const home of published) rmSync(join(folderOf(home), 'dist'), { recursive: true, force: true });
  const done = spawnSync(
    join(root, 'node_modules/.bin/tsc'),
    ['-b', ...(unchecked ? ['--noCheck'] : []), ...published.map((home) => `packages/${home}`)],
    {
      cwd: root,
      stdio: 'inherit',
    },
  );
  if (done.status !== 0) throw new Error(`tsc -b ended with ${done.status ?? done.error?.message}`);
  for (const home of published) copyAssets(folderOf(home));
  await placeConsole();
  await writeJobSchema();
}

/** SQL, Lua, HTML and whatever else lies among the sources. */
function copyAssets(folder: string): void {
  for (const entry of readdirSync(join(folder, 'src'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || /\.(ts|md)$|^tsconfig/.test(entry.name)) continue;
    const source = join(entry.parentPath, entry.name);
    cpSync(source, source.replace(join(folder, 'src'), join(folder, 'dist')));
  }
}

/** Editors complete and check job files with it. */
async function writeJobSchema(): Promise<void> {
  const built = join(folderOf('protocol'), 'dist/job/index.js');
  if (!existsSync(built)) throw new Error(`${built} was not built`);
  const protocol = (await import(built)) as { jobJsonSchema?: unknown };
  const { jobJsonSchema } = protocol;
  const schema: unknown = typeof jobJsonSchema === 'function' ? jobJsonSchema() : jobJsonSchema;
  if (schema === undefined) throw new Error('@webfarer/protocol/job exports no jobJsonSchema');
  writeFileSync(join(folderOf('cli'), 'job.schema.json'), `${JSON.stringify(schema, null, 2)}\n`);
}
