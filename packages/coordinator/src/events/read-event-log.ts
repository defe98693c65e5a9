import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { LoggedEvent } from '@webfarer/protocol/api';
import { eventFiles } from './event-log.ts';

export interface LogQuery {
  /** Only events of this crawl. */
  crawl?: string;
  /** The most to answer, the latest ones. */
  limit: number;
  level: LoggedEvent['level'];
}

/** What `logEvents` has written into a folder. */
export interface EventLog {
  read(query: LogQuery): Promise<LoggedEvent[]>;
}

const rank = { info: 0, warn: 1, error: 2 } as const;

export function openEventLog(folder: string): EventLog {
  return {
    async read({ crawl, limit, level }) {
      const isMeant = (event: LoggedEvent) =>
        rank[event.level] >= rank[level] && (crawl === undefined || event['crawl'] === crawl);
      const found: LoggedEvent[] = [];
      for (const name of eventFiles) {
        for await (const line of linesIn(join(folder, name))) {
          // Cheaper than reading a line that cannot be meant.
          if (crawl !== undefined && !line.includes(crawl)) continue;
          const event = eventIn(line);
          if (event && isMeant(event)) found.push(event);
          if (found.length >= 2 * limit) found.splice(0, found.length - limit);
        }
      }
      return found.slice(-limit);
    },
  };
}

async function* linesIn(file: string): AsyncGenerator<string> {
  const input = createReadStream(file, 'utf8');
  try {
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  } finally {
    input.destroy();
  }
}

/** A crash may have left half a line. */
function eventIn(line: string): LoggedEvent | undefined {
  try {
    return JSON.parse(line) as LoggedEvent;
  } catch {
    return undefined;
  }
}
