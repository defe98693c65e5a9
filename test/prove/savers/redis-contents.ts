import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { systemClock } from '@webfarer/protocol';
import { openByteStore } from '@webfarer/coordinator/redis';
import { type Archive, type CapturePlace, openArchive, redisCaptures } from '@webfarer/worker/archive';
import { readFolder } from '../../../packages/coordinator/src/crawl/reading/folder-reader.ts';
import { nothingFound, type SaverFindings } from './findings.ts';

const run = promisify(execFile);

/** The server that captures went to. */
export interface RedisPlace {
  url: string;
  port: number;
}

/** Reads what the redis saver left through the read side and with redis-cli, and compares it with the WARC files. */
export async function compareRedis(folder: string, { url, port }: RedisPlace): Promise<SaverFindings> {
  const found = nothingFound();
  const archive = openArchive(folder);
  const store = await openByteStore({ url, clock: systemClock() });
  try {
    const template = 'webfarer:{crawl}:page:{hash}';
    const captures = redisCaptures({ store, crawl: 'lab', template });
    const check = await captures.validate();
    found.tornTails = check.problems.length;
    const claimed = new Set<string>();
    for (const { redis, warc } of await placesIn(folder)) {
      found.records += 1;
      if (claimed.has(redis.file)) found.doubles += 1;
      claimed.add(redis.file);
      const truth = await digestOf(archive, warc);
      const body = await captures.body(redis.file).catch(() => undefined);
      if (body === undefined || sha1(body) !== truth) found.unread += 1;
      if (sha1(await byCommandLine(port, redis.file)) !== truth) found.unreadOutside += 1;
    }
    found.orphans = check.records - found.records;
    return found;
  } finally {
    await store.close();
  }
}

async function byCommandLine(port: number, key: string): Promise<Buffer> {
  const words = ['-p', String(port), '--raw', 'HGET', key, 'body'];
  const { stdout } = await run('redis-cli', words, { encoding: 'buffer', maxBuffer: 1e8 });
  // It ends every answer with a line break.
  return stdout.subarray(0, -1);
}

async function placesIn(folder: string): Promise<{ redis: CapturePlace; warc: CapturePlace }[]> {
  const reader = await readFolder(folder);
  try {
    const places = [];
    for await (const { saved = [] } of reader.results.records(reader.crawl)) {
      const [redis, warc] = ['redis', 'warc'].map((name) => saved.find(({ saver }) => saver === name));
      if (redis && warc) places.push({ redis, warc });
    }
    return places;
  } finally {
    await reader.close();
  }
}

async function digestOf(archive: Archive, at: CapturePlace): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of archive.read(at, 'body')) pieces.push(piece);
  return sha1(Buffer.concat(pieces));
}

const sha1 = (bytes: Buffer): string => createHash('sha1').update(bytes).digest('hex');
