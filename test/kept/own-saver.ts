import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Capture, Saver, SaverContext } from '@webfarer/worker';

/** A saver as a user writes one: a line for each page that exists. */
export function saver({ folder }: SaverContext): Saver {
  const file = join(folder, 'own', 'lines.jsonl');
  let lines = 0;
  return {
    name: 'own',
    async start() {
      mkdirSync(join(folder, 'own'), { recursive: true });
    },
    async save({ entry, page, decoded }: Capture) {
      if (page.status !== 200) return undefined;
      const sha1 = createHash('sha1').update(decoded).digest('hex');
      appendFileSync(file, `${JSON.stringify({ url: entry.url, sha1 })}\n`);
      lines += 1;
      return { saver: 'own', file: 'own/lines.jsonl', length: decoded.length };
    },
    async sync() {},
    async stop() {},
    written: () => ({ files: lines, bytes: 0 }),
  };
}
