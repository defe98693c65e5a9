import type { Capture, Saver } from '@webfarer/worker';
import { goWrong, wayIn } from './ways.ts';

let failures = 0;

/** A user's saver of which one verb goes wrong. */
export function saver(): Saver {
  const call = process.env.LAB_CALL ?? '';
  const wrong = (verb: string): unknown => (verb === call ? goWrong('throws', undefined) : undefined);
  return {
    name: 'lab',
    async start() {
      wrong('saver.start');
    },
    async save({ entry }: Capture) {
      const way = wayIn(entry.url);
      // Nothing limits how long an upload takes.
      if (way === 'never') return undefined;
      return (way === undefined || call !== 'saver.save' ? undefined : goWrong(way, 7)) as undefined;
    },
    async sync() {
      // The first two times only: the crawl waits until it works.
      if (call === 'saver.sync' && failures++ < 2) goWrong('throws', undefined);
    },
    async stop() {
      wrong('saver.stop');
    },
    written: () => (wrong('saver.written') ?? { files: 0, bytes: 0 }) as { files: number; bytes: number },
  };
}
