import { createReadStream } from 'node:fs';
import { validateWarc } from '@webfarer/worker/archive';
import { WARCParser } from 'warcio';
import { pythonFor } from './python.ts';
import { jwarcJar, run } from './tools.ts';

/** Somebody's opinion of a WARC file. */
export interface Validator {
  name: string;
  /** What is wrong; undefined when all is well. */
  judge(file: string, records: number): Promise<string | undefined>;
}

/** Ours: every byte, every digest. */
export const ours: Validator = {
  name: 'webfarer',
  async judge(file, records) {
    const check = await validateWarc(file);
    if (check.ok && check.records === records) return undefined;
    return check.problems[0]?.text ?? `${check.records} records, not ${records}`;
  },
};

/** warcio for JavaScript reads every record to its end. */
export const warcioScript: Validator = {
  name: 'warcio (JavaScript)',
  async judge(file, records) {
    let found = 0;
    try {
      for await (const record of new WARCParser(createReadStream(file))) {
        await record.readFully(false);
        found++;
      }
    } catch (error) {
      return String(error);
    }
    return found === records ? undefined : `${found} records, not ${records}`;
  },
};

const counted = `
import sys
from warcio.archiveiterator import ArchiveIterator
count = 0
with open(sys.argv[1], 'rb') as stream:
    for record in ArchiveIterator(stream, check_digests='raise'):
        record.raw_stream.read()
        count += 1
print(count)
`;

/** warcio for Python recomputes the digests; it says nothing of a file that is cut between two records. */
export async function warcioPython(): Promise<Validator> {
  const python = await pythonFor('archives');
  return {
    name: 'warcio (Python)',
    judge: (file, records) =>
      run(python, ['-c', counted, file]).then(
        ({ stdout }) => (Number(stdout) === records ? undefined : `${stdout.trim()} records, not ${records}`),
        (error: Error & { stderr?: string }) => error.stderr?.trim().split('\n').at(-1) ?? error.message,
      ),
  };
}

/** jwarc checks fields, the HTTP messages and the digests. */
export async function jwarcJava(): Promise<Validator> {
  const jar = await jwarcJar();
  return {
    name: 'jwarc (Java)',
    judge: (file) =>
      run('java', ['-jar', jar, 'validate', file]).then(
        () => undefined,
        (error: Error & { stderr?: string }) => error.stderr?.trim().split('\n').at(0) ?? error.message,
      ),
  };
}
