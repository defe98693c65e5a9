import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { WARCParser } from 'warcio';
import { pythonFor } from '../outside/python.ts';
import { run } from '../outside/tools.ts';

/** An answer as a tool that is not ours reads it from an archive. */
export interface ArchivedAnswer {
  type: 'response' | 'revisit';
  url: string;
  date: string;
  /** Of the payload, as it was sent. */
  sha1: string;
  /** `URL DATE` of the capture that a revisit stands for. */
  refersTo: string | undefined;
}

export const sha1 = (bytes: Uint8Array | string): string => createHash('sha1').update(bytes).digest('hex');

export async function warcFiles(folder: string): Promise<string[]> {
  const names = await readdir(join(folder, 'archive')).catch(() => []);
  return names.filter((name) => name.endsWith('.warc.gz')).map((name) => join(folder, 'archive', name));
}

/** By warcio for JavaScript. */
export async function readInScript(files: readonly string[]): Promise<ArchivedAnswer[]> {
  const found: ArchivedAnswer[] = [];
  for (const file of files) {
    for await (const record of new WARCParser(createReadStream(file))) {
      const payload = await record.readFully(false);
      const { warcType: type } = record;
      if (type !== 'response' && type !== 'revisit') continue;
      const refersTo = record.warcHeader('WARC-Refers-To-Target-URI');
      found.push({
        type,
        url: record.warcTargetURI ?? '',
        date: record.warcDate ?? '',
        sha1: sha1(payload),
        refersTo: refersTo == null ? undefined : `${refersTo} ${record.warcHeader('WARC-Refers-To-Date')}`,
      });
    }
  }
  return found;
}

const listing = `
import hashlib, json, sys
from warcio.archiveiterator import ArchiveIterator
for name in sys.argv[1:]:
    with open(name, 'rb') as stream:
        for record in ArchiveIterator(stream, check_digests='raise'):
            head = record.rec_headers
            payload = record.raw_stream.read()
            if record.rec_type not in ('response', 'revisit'):
                continue
            refers = head.get_header('WARC-Refers-To-Target-URI')
            print(json.dumps({
                'type': record.rec_type,
                'url': head.get_header('WARC-Target-URI'),
                'date': head.get_header('WARC-Date'),
                'sha1': hashlib.sha1(payload).hexdigest(),
                'refersTo': refers and refers + ' ' + head.get_header('WARC-Refers-To-Date'),
            }))
`;

/** By warcio for Python, which also works out all digests anew. */
export async function readInPython(files: readonly string[]): Promise<ArchivedAnswer[]> {
  if (files.length === 0) return [];
  const { stdout } = await run(await pythonFor('archives'), ['-c', listing, ...files], { maxBuffer: 1e8 });
  const lines = String(stdout).trim().split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as ArchivedAnswer);
}

/** What the answer stands for; undefined: it refers to something that is in none of the archives. */
export function resolved(answer: ArchivedAnswer, all: readonly ArchivedAnswer[]): ArchivedAnswer | undefined {
  if (answer.type === 'response') return answer;
  return all.find(({ type, url, date }) => type === 'response' && `${url} ${date}` === answer.refersTo);
}
