import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pythonFor } from '../outside/python.ts';
import { run, runFetching } from '../outside/tools.ts';
import { deploy, root } from './files.ts';
import { helmCommand } from './helm.ts';
import { makeCertificates, nginxConfig } from './proxy.ts';
import { render, renderings } from './rendered.ts';

export interface Lint {
  name: string;
  run(folder: string): Promise<unknown>;
}

/** The strictest judge of each format that can be installed without a container engine or a cluster. */
export const lints: readonly Lint[] = [
  {
    name: 'hadolint',
    run: async () => await run(await beside('hadolint'), ['--failure-threshold', 'info', containerfile]),
  },
  { name: 'caddy', run: validateCaddyfile },
  { name: 'kubernetes', run: validateManifests },
  { name: 'systemd', run: verifyUnits },
  { name: 'nginx', run: testNginx },
  { name: 'compose', run: validateCompose },
];

/** Takes minutes where Helm is not built yet. */
export const helmLint: Lint = {
  name: 'helm',
  async run() {
    for (const [file, text] of Object.entries(await render(await helmCommand())))
      if (readFileSync(join(root, file), 'utf8') !== text)
        throw new Error(`${file} is not what Helm renders; run node test/deploy/rendered.ts`);
  },
};

const containerfile = join(deploy, 'container/Containerfile');

/** A program in the Python set of these judges. */
async function beside(name: string): Promise<string> {
  return (await pythonFor('deploy')).replace(/python$/, name);
}

async function validateCaddyfile(): Promise<void> {
  const file = join(deploy, 'caddy/Caddyfile');
  const caddy = await beside('caddy');
  await run(caddy, ['validate', '--adapter', 'caddyfile', '--config', file]);
  const { stdout } = await run(caddy, ['fmt', file]);
  if (stdout !== readFileSync(file, 'utf8'))
    throw new Error('the Caddyfile is not formatted as caddy fmt does');
}

async function validateManifests(): Promise<void> {
  const files = Object.keys(renderings).map((file) => join(root, file));
  const { stdout, stderr } = await run(await beside('kubernetes-validate'), [
    '--strict',
    '-k',
    '1.34',
    ...files,
  ]);
  // The schemas are those of Kubernetes; a custom resource has none among them.
  const unknown = /Couldn't find schema for kind (?!PodMonitor)\S+/.exec(stdout + stderr);
  if (unknown) throw new Error(unknown[0]);
  const passed = (stdout + stderr).match(/passed for resource/g)?.length ?? 0;
  if (passed < 19) throw new Error(`only ${passed} resources were judged`);
}

/** How exposed a unit may be, of 10, as systemd counts it. */
const mostExposed = 1.5;

async function verifyUnits(folder: string): Promise<void> {
  const units = join(folder, 'units');
  rmSync(units, { recursive: true, force: true });
  mkdirSync(units);
  // verify looks for the program.
  writeFileSync(join(units, 'webfarer'), '#!/bin/sh\n', { mode: 0o755 });
  const names = readdirSync(join(deploy, 'systemd')).filter((name) => name.endsWith('.service'));
  for (const name of names) {
    const text = readFileSync(join(deploy, 'systemd', name), 'utf8');
    const path = join(units, name.replace('@.', '@1.'));
    writeFileSync(path, text.replace('/usr/bin/webfarer', join(units, 'webfarer')));
    const env = { ...process.env, SYSTEMD_LOG_LEVEL: 'warning' };
    const { stderr } = await run('systemd-analyze', ['verify', '--man=no', path], { env });
    if (stderr.includes(name.replace(/@?\.service/, ''))) throw new Error(stderr);
    const { stdout } = await run('systemd-analyze', ['security', '--offline=true', '--no-pager', path]);
    const exposed = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
    if (!(exposed <= mostExposed))
      throw new Error(`${name} is exposed by ${exposed}, more than ${mostExposed}`);
  }
}

async function testNginx(folder: string): Promise<void> {
  const config = nginxConfig(folder, makeCertificates(folder, 'crawl.example.org'));
  const { stderr } = await run('nginx', ['-t', '-c', config, '-p', folder]);
  if (/warn|emerg/.test(stderr)) throw new Error(stderr);
}

/** The schema of the Compose specification lies in the sources of its reference implementation. */
const composeModule = 'github.com/compose-spec/compose-go/v2@v2.16.2';
const composeSchema = join(root, '.tools/compose-spec.json');

export async function fetchComposeSchema(): Promise<string> {
  if (existsSync(composeSchema)) return composeSchema;
  const { stdout } = await runFetching('go', ['mod', 'download', '-json', composeModule], {
    maxBuffer: 1e8,
  });
  const { Dir } = JSON.parse(stdout) as { Dir: string };
  cpSync(join(Dir, 'schema/compose-spec.json'), composeSchema);
  return composeSchema;
}

async function validateCompose(folder: string): Promise<void> {
  const { compose } = await import('./files.ts');
  const {
    'x-webfarer': _own,
    'x-worker': _worker,
    ...whole
  } = compose() as unknown as Record<string, unknown>;
  const file = join(folder, 'compose.json');
  writeFileSync(file, JSON.stringify(whole));
  const python = await pythonFor('formats');
  const program = [
    'import json, sys, jsonschema',
    'schema, document = (json.load(open(path)) for path in sys.argv[1:])',
    'jsonschema.validators.validator_for(schema).check_schema(schema)',
    'jsonschema.validate(document, schema)',
  ].join('\n');
  await run(python, ['-c', program, await fetchComposeSchema(), file]);
}
