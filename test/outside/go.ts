import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { run, runFetching } from './tools.ts';

const tools = resolve(import.meta.dirname, '../../.tools');

interface Program {
  module: string;
  version: string;
  /** The folder of its main package. */
  main: string;
  /** Files that are replaced before it is built, because what they import costs more than all the rest. */
  instead: Readonly<Record<string, string>>;
}

/** A command of a program that nobody calls. */
const unused = (name: string, of: { package: string; function: string }) =>
  [
    `package ${of.package}`,
    'import "github.com/urfave/cli/v2"',
    `func ${of.function}() *cli.Command { return &cli.Command{Name: "${name}", Hidden: true} }`,
  ].join('\n');

/** Programs from the registry of Go modules, by the names of their binaries. */
const programs = {
  /** An S3 server over a folder. Its tests of itself and its way to Azure are left out. */
  versitygw: {
    module: 'github.com/versity/versitygw',
    version: 'v1.8.0',
    main: 'cmd/versitygw',
    instead: {
      'cmd/versitygw/test.go': unused('test', { package: 'main', function: 'testCommand' }),
      'cmd/internal/gwcli/azure.go': unused('azure', { package: 'gwcli', function: 'AzureCommand' }),
    },
  },
} as const satisfies Record<string, Program>;

export type GoProgram = keyof typeof programs;
export const goPrograms = Object.keys(programs) as GoProgram[];

/** The newest that any of the programs needs. */
const goVersion = '1.26.8';
const leastGo = [1, 25] as const;

function pathOf(name: GoProgram): string {
  return join(tools, 'go-tools', `${name}-${programs[name].version}`, name);
}

/** The path of a program, if it was fetched. */
export function fetchedGoProgram(name: GoProgram): string | undefined {
  const path = pathOf(name);
  return existsSync(path) ? path : undefined;
}

/** The path of a program, built once into `.tools/`. */
export async function goProgram(name: GoProgram): Promise<string> {
  const path = pathOf(name);
  if (existsSync(path)) return path;
  const go = await goCommand();
  const { module, version, main, instead } = programs[name];
  const fresh = join(tools, 'go-tools', `building-${name}-${process.pid}`);
  console.error(`building ${name} ${version} …`);
  try {
    const env = { ...process.env, GOFLAGS: '-buildvcs=false', CGO_ENABLED: '0' };
    const { stdout } = await runFetching(go, ['mod', 'download', '-json', `${module}@${version}`], { env });
    const { Dir: source } = JSON.parse(stdout) as { Dir: string };
    await cp(source, fresh, { recursive: true });
    await run('chmod', ['-R', 'u+w', fresh]);
    for (const [file, text] of Object.entries(instead)) await writeFile(join(fresh, file), text);
    // Optimizing takes more than half of the time, and the server waits for disks and sockets.
    const quick = ['-gcflags=all=-N -l', '-ldflags=-s -w', '-o', name];
    await runFetching(go, ['build', ...quick, `./${main}`], { cwd: fresh, env, maxBuffer: 1e8 });
    await mkdir(join(path, '..'), { recursive: true });
    await rename(join(fresh, name), path);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return path;
}

/** A Go that is new enough: that of the PATH, that of the usual folder, or one from the registry of modules. */
async function goCommand(): Promise<string> {
  for (const go of ['go', '/usr/local/go/bin/go']) {
    const { stdout } = await run(go, ['version']).catch(() => ({ stdout: '' }));
    const [, major, minor] = /go(\d+)\.(\d+)/.exec(stdout) ?? [];
    if (Number(major) === leastGo[0] && Number(minor) >= leastGo[1]) return go;
  }
  return await fetchGo();
}

/** The registry has the toolchain itself as a module, under a version that names the system. */
async function fetchGo(): Promise<string> {
  const system = { x64: 'amd64', arm64: 'arm64' }[process.arch as string];
  if (process.platform !== 'linux' || system === undefined)
    throw new Error(`Go ${leastGo.join('.')} or newer is needed. Install it and run this again.`);
  const version = `v0.0.1-go${goVersion}.linux-${system}`;
  const folder = join(tools, `go-${goVersion}`);
  const root = join(folder, `golang.org/toolchain@${version}`);
  const go = join(root, 'bin/go');
  if (existsSync(join(folder, 'whole'))) return go;
  console.error(`fetching Go ${goVersion} …`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const registry = (process.env.GOPROXY ?? '').split(/[,|]/).find((one) => one.startsWith('http'));
  if (registry === undefined)
    throw new Error(
      `Go ${leastGo.join('.')} or newer is needed. Install it, or name a module registry in GOPROXY.`,
    );
  const url = `${registry}/golang.org/toolchain/@v/${version}.zip`;
  const zip = join(folder, 'go.zip');
  await runFetching('curl', ['-fsSL', '-o', zip, url]);
  await run('python3', ['-m', 'zipfile', '-e', zip, folder]);
  await rm(zip);
  // Modules have no permissions.
  await run('chmod', ['-R', 'a+x', join(root, 'bin'), join(root, 'pkg/tool')]);
  await chmod(go, 0o755);
  await writeFile(join(folder, 'whole'), '');
  return go;
}
