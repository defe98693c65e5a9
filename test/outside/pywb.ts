import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { until } from '../prove/lab.ts';
import { pythonFor } from './python.ts';
import { run } from './tools.ts';

export interface Pywb {
  /** A page of a collection: `/NAME/` and its URL. */
  origin: string;
  stop(): Promise<void>;
}

/** Serves archives by pywb, each collection from these files: WARC, or WACZ that it unpacks. */
export async function startPywb(
  folder: string,
  collections: Readonly<Record<string, readonly string[]>>,
): Promise<Pywb> {
  // Named as an argument, a program works also where its folder was moved since it was installed.
  const python = await pythonFor('archives');
  const bin = dirname(python);
  await mkdir(folder, { recursive: true });
  // In a frame each page would load twice, the first time only to be thrown away.
  await writeFile(join(folder, 'config.yaml'), 'framed_replay: false\nenable_banner: false\n');
  for (const [name, files] of Object.entries(collections)) {
    await run(python, [join(bin, 'wb-manager'), 'init', name], { cwd: folder });
    const unpack = files.some((file) => file.endsWith('.wacz')) ? ['--unpack-wacz'] : [];
    await run(python, [join(bin, 'wb-manager'), 'add', ...unpack, name, ...files], { cwd: folder });
  }
  const port = await freePort();
  const server = spawn(python, [join(bin, 'wayback'), '-p', String(port), '-b', '127.0.0.1'], {
    cwd: folder,
    stdio: 'ignore',
  });
  const origin = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    const gone = new Promise((done) => server.once('exit', done));
    if (server.exitCode === null && server.kill()) await gone;
  };
  try {
    const answers = () =>
      fetch(origin).then(
        ({ ok }) => ok,
        () => false,
      );
    await until('pywb answers', answers, 120_000);
    return { origin, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
