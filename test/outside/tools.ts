import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** Judges that are not ours, in other languages. Fetched once into `.tools/`, which is never committed. */
const tools = resolve(import.meta.dirname, '../../.tools');
const versions = { warcio: '1.8.1', pywb: '2.10.0', jwarc: '0.36.0', igraph: '1.0.0' };

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

/** A Python with igraph, whose algorithms are C. */
export async function igraphPython(): Promise<string> {
  const folder = join(tools, 'igraph');
  const python = join(folder, 'bin/python');
  const there = existsSync(python) && (await run(python, ['-c', 'import igraph']).catch(() => undefined));
  if (there) return python;
  await mkdir(tools, { recursive: true });
  try {
    await run('python3', ['-m', 'venv', folder]);
    const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
    await run(python, [...install, `igraph==${versions.igraph}`]);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return python;
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
