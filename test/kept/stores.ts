import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sha1 } from './archives.ts';

const run = promisify(execFile);

/** What a saver other than WARC left in a folder, read without the product. */
export interface Stored {
  /** Of whole bodies, whatever they are called. */
  bodies: ReadonlySet<string>;
  /** The text that was made of a URL. */
  texts: ReadonlyMap<string, string>;
}

export async function readFiles(folder: string): Promise<Stored> {
  return bodiesOf(await filesBelow(join(folder, 'files')));
}

/** By GNU tar. */
export async function readTars(folder: string): Promise<Stored> {
  const archives = (await filesBelow(join(folder, 'archive'))).filter((file) =>
    /\/[^.][^/]*\.tar$/.test(file),
  );
  const to = await mkdtemp(join(folder, 'unpacked-'));
  try {
    for (const [n, archive] of archives.entries()) {
      await mkdir(join(to, String(n)));
      await run('tar', ['-xf', archive, '-C', join(to, String(n))]);
    }
    return await bodiesOf(await filesBelow(to));
  } finally {
    await rm(to, { recursive: true });
  }
}

export async function readMarkdown(folder: string): Promise<Stored> {
  const texts = new Map<string, string>();
  for (const file of await filesBelow(join(folder, 'markdown'))) {
    const text = await readFile(file, 'utf8');
    if (file.endsWith('.md')) {
      const url = /^url: (".*")$/m.exec(text)?.[1];
      if (url !== undefined) texts.set(JSON.parse(url) as string, text);
    } else if (file.endsWith('.jsonl'))
      for (const line of text.trim().split('\n')) {
        const { url, markdown = '' } = JSON.parse(line) as { url: string; markdown?: string };
        texts.set(url, markdown);
      }
  }
  return { bodies: new Set(), texts };
}

export async function readOwn(folder: string): Promise<Stored> {
  const text = await readFile(join(folder, 'own', 'lines.jsonl'), 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  return {
    bodies: new Set(lines.map((line) => (JSON.parse(line) as { sha1: string }).sha1)),
    texts: new Map(),
  };
}

/** By redis-cli. */
export async function readRedis(port: number): Promise<Stored> {
  const ask = async (...words: string[]): Promise<Buffer> => {
    const args = ['-p', String(port), '--raw', ...words];
    const { stdout } = await run('redis-cli', args, { encoding: 'buffer', maxBuffer: 1e8 });
    return stdout.subarray(0, -1);
  };
  const bodies = new Set<string>();
  for (const key of (await ask('KEYS', '*')).toString().split('\n'))
    if (key !== '' && (await ask('HGET', key, 'status')).toString() === '200')
      bodies.add(sha1(await ask('HGET', key, 'body')));
  return { bodies, texts: new Map() };
}

async function bodiesOf(files: readonly string[]): Promise<Stored> {
  const bodies = new Set<string>();
  for (const file of files) bodies.add(sha1(await readFile(file)));
  return { bodies, texts: new Map() };
}

async function filesBelow(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}
