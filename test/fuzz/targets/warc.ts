import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { systemClock, WebfarerError } from '@webfarer/protocol';
import { readWarc, repairWarc, validateWarc, WarcProblem } from '@webfarer/worker/archive';
import { captureOf } from '../../../packages/worker/src/save/capture.fixture.ts';
import { warcSaver } from '../../../packages/worker/src/save/warc/warc-saver.ts';
import { mutate } from '../mutate.ts';
import { must, type Target, type TargetOptions } from '../target.ts';

// biome-ignore format: a table of pieces
const pieces = [
  'WARC/1.1\r\n', 'WARC/1.0\r\n', 'WARC/0.9\r\n', 'WARC-Type: response\r\n', 'WARC-Type: continuation\r\n', 'Content-Length: 0\r\n',
  'Content-Length: -1\r\n', 'Content-Length: 99999999999999999999\r\n', 'Content-Length: 5\r\n', 'WARC-Record-ID: <urn:x>\r\n', 'WARC-Date: 2026\r\n',
  'WARC-Block-Digest: sha1:X\r\n', 'WARC-Target-URI: http://a/\r\n', '\r\n', '\r\n\r\n', '\n', '\0', ': \r\n', ' folded\r\n', '\x1f\x8b\x08\0\0\0\0\0\0\x03',
];

/** A small archive, written as a crawl writes it. */
async function archive(folder: string): Promise<Buffer> {
  const saver = warcSaver({ folder, name: 'fuzz', clock: systemClock(), software: 'webfarer/fuzz' });
  await saver.start();
  for (const [url, body] of [
    ['http://a.test/1', 'one'],
    ['http://a.test/2', gzipSync('two')],
    ['http://a.test/3', 'three '.repeat(500)],
  ] as const)
    await saver.save(captureOf({ url, body, startedAtMs: 0 }));
  await saver.stop();
  const files = await readdir(join(folder, 'archive'));
  return await readFile(join(folder, 'archive', files.find((name) => name.endsWith('.warc.gz')) ?? ''));
}

export async function open({ folder }: TargetOptions): Promise<Target> {
  const packed = await archive(folder);
  const plain = gunzipSync(packed);
  const words = pieces.map((piece) => Buffer.from(piece, 'latin1'));
  const file = join(folder, 'input.warc.gz');
  const output = join(folder, 'output.warc.gz');
  return {
    make(random) {
      if (random.chance(0.4)) return mutate(random, packed, words);
      const changed = mutate(random, plain, words);
      // Half of them reach the reader of records through sound gzip.
      return random.chance(0.5) ? gzipSync(changed, { level: 1 }) : changed;
    },
    async run(input) {
      await writeFile(file, input);
      const check = await validateWarc(file);
      must(check.soundUntil <= input.length, 'sound beyond its end');
      must(
        check.ok === (check.problems.length === 0),
        'a sound file has no problems, and the other way round',
      );
      const read = await records(file);
      must(read.records === check.records, `${read.records} records read, ${check.records} validated`);
      must(read.problem === undefined || !check.ok, 'what cannot be read is not valid');
      // Repairing waits for the disk: a part of the inputs is enough.
      if (input.length % 4 !== 0) return;
      await rm(output, { force: true });
      const repaired = await repairWarc(file, output).catch((error: unknown) => {
        if (error instanceof WebfarerError || error instanceof WarcProblem) return undefined;
        throw error;
      });
      if (repaired === undefined) return;
      const after = await records(output);
      must(after.problem === undefined, `what was repaired is broken: ${after.problem}`);
      must(after.records === repaired.kept, `${repaired.kept} kept, ${after.records} found`);
    },
  };
}

async function records(file: string): Promise<{ records: number; problem: string | undefined }> {
  let count = 0;
  try {
    for await (const record of readWarc(file)) {
      await record.finish();
      count += 1;
    }
  } catch (error) {
    if (!(error instanceof WarcProblem)) throw error;
    return { records: count, problem: error.message };
  }
  return { records: count, problem: undefined };
}
