import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** Judges that are not ours, in other languages. Fetched once into `.tools/`, which is never committed. */
const tools = resolve(import.meta.dirname, '../../.tools');
const versions = { warcio: '1.8.1', pywb: '2.10.0', jwarc: '0.36.0' };

export const run = promisify(execFile);

/** The folder with `python`, `wayback` and `wb-manager`. */
export async function pythonTools(): Promise<string> {
  const folder = join(tools, 'venv');
  const bin = join(folder, 'bin');
  if (existsSync(join(bin, 'wayback'))) return bin;
  await mkdir(tools, { recursive: true });
  try {
    await run('python3', ['-m', 'venv', folder]);
    const wanted = [`warcio==${versions.warcio}`, `pywb==${versions.pywb}`];
    await run(join(bin, 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...wanted]);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return bin;
}

/** The jar of jwarc; `java -jar` runs it. */
export async function jwarcJar(): Promise<string> {
  const repository = join(tools, 'm2');
  const { jwarc } = versions;
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
