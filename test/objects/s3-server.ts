import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ObjectPlace } from '../../packages/worker/src/objects/object-place.ts';
import { goProgram } from '../outside/go.ts';
import { until } from '../prove/lab.ts';
import { freePorts } from '../redis/server-process.ts';

/** A real S3 server (versitygw) over a folder of its own, on the loopback of this machine. */
export interface S3Server {
  port: number;
  endpoint: string;
  bucket: string;
  /** Where its objects lie as files. */
  folder: string;
  /** What processes need in their environment to use it. */
  env: Record<string, string>;
  /** As jobs and stores name a place in it. */
  place(prefix: string, options?: Partial<ObjectPlace>): ObjectPlace;
  /** `kill -9`; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again over the same folder and port. */
  restart(): Promise<void>;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

const bucket = 'archive';
const startMs = 30_000;
/** The same everywhere: the client finds it in the environment, as in real life. */
const usualEnv = {
  AWS_ACCESS_KEY_ID: 'webfarer-test',
  AWS_SECRET_ACCESS_KEY: 'webfarer-test-secret',
  AWS_REGION: 'us-east-1',
};
/** Linux ends a server whose parent was killed. */
const dyingWithUs = process.platform === 'linux' ? ['setpriv', '--pdeathsig', 'KILL'] : [];

export interface S3Options {
  /** In place of the usual one, and not put into the environment of this process. */
  secret?: string;
}

export async function startS3({ secret }: S3Options = {}): Promise<S3Server> {
  const env = { ...usualEnv, ...(secret === undefined ? {} : { AWS_SECRET_ACCESS_KEY: secret }) };
  const program = await goProgram('versitygw');
  const root = mkdtempSync(join(tmpdir(), 'webfarer-s3-'));
  mkdirSync(join(root, 'data', bucket), { recursive: true });
  const [port = 0] = await freePorts('127.0.0.1', 1);
  const endpoint = `http://127.0.0.1:${port}`;
  const log = join(root, 'log');
  const start = () => launch({ program, root, port, log, env });
  if (secret === undefined) Object.assign(process.env, env);
  let child = await start();
  return {
    port,
    endpoint,
    bucket,
    folder: join(root, 'data', bucket),
    env,
    place: (prefix, options) => ({ address: `s3://${bucket}/${prefix}`, endpoint, ...options }),
    kill: () => end(child, 'SIGKILL'),
    async restart() {
      child = await start();
    },
    async stop() {
      await end(child, 'SIGKILL');
      rmSync(root, { recursive: true, force: true });
    },
  };
}

async function launch(options: {
  program: string;
  root: string;
  port: number;
  log: string;
  env: typeof usualEnv;
}): Promise<ChildProcess> {
  const { program, root, port, log, env } = options;
  const args = ['--access', env.AWS_ACCESS_KEY_ID, '--secret', env.AWS_SECRET_ACCESS_KEY];
  const words = [
    program,
    ...args,
    '--port',
    `127.0.0.1:${port}`,
    '--keep-alive',
    '--quiet',
    'posix',
    join(root, 'data'),
  ];
  const [command = '', ...rest] = [...dyingWithUs, ...words];
  const output = openSync(log, 'a');
  const child = spawn(command, rest, { stdio: ['ignore', output, output] });
  closeSync(output);
  const answers = async () => {
    if (child.exitCode !== null)
      throw new Error(`the S3 server ended:\n${readFileSync(log, 'utf8').slice(-2_000)}`);
    return await fetch(`http://127.0.0.1:${port}/`).then(
      ({ status }) => status === 403,
      () => false,
    );
  };
  await until('the S3 server answers', answers, startMs);
  return child;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((done) => child.once('exit', done));
  child.kill(signal);
  await gone;
}
