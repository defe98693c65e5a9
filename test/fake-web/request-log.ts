import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** One request as the server saw it. Times are CLOCK_MONOTONIC in nanoseconds, the same for all processes. */
export interface LogEntry {
  /** When the request had arrived. */
  startNs: number;
  /**
   * Just before the last bytes were handed to the kernel: never later than the client had them, so no gap
   * looks shorter than the client kept it. 0 while under way.
   */
  endNs: number;
  scheme: 'http' | 'https';
  /** As asked for, lower case, without port. */
  host: string;
  path: string;
  method: string;
  /** 0 when nothing was answered. */
  status: number;
  /** Who ended it before the answer was complete, if anybody. */
  cut?: 'client' | 'server';
  retryAfterMs?: number;
  peerPort: number;
  agent: string;
  /** All header lines but Host, as sent. */
  headers: string;
}

export interface RequestLog {
  /** Answers the entry's number. */
  begin(entry: Omit<LogEntry, 'endNs' | 'status' | 'agent'>): number;
  end(number: number, endNs: number, result: Pick<LogEntry, 'status' | 'cut' | 'retryAfterMs'>): void;
  size(): number;
  clear(): void;
  /** Writes the log in the order of starts: one line with the header blocks, then one line a request. */
  dump(file: string): void;
}

export function monotonicNs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e9 + nanoseconds;
}

type Row = [
  startNs: number,
  endNs: number,
  secure: 0 | 1,
  host: string,
  path: string,
  method: string,
  status: number,
  cut: '' | 'client' | 'server',
  retryAfterMs: number,
  peerPort: number,
  headers: number,
];

/** Kept in memory, so that it costs the server little; header blocks are few and stored once each. */
export function createRequestLog(): RequestLog {
  let rows: Row[] = [];
  /** Numbers given out before the last clear: their late ends are ignored. */
  let first = 0;
  let blocks: string[] = [];
  let blockNumbers = new Map<string, number>();
  const intern = (text: string): number => {
    let number = blockNumbers.get(text);
    if (number === undefined) {
      number = blocks.push(text) - 1;
      blockNumbers.set(text, number);
    }
    return number;
  };
  return {
    begin(entry) {
      const secure = entry.scheme === 'https' ? 1 : 0;
      const headers = intern(entry.headers);
      const { startNs, host, path, method, peerPort } = entry;
      return first + rows.push([startNs, 0, secure, host, path, method, 0, '', -1, peerPort, headers]) - 1;
    },
    end(number, endNs, result) {
      const row = rows[number - first];
      if (row === undefined) return;
      row[1] = endNs;
      row[6] = result.status;
      row[7] = result.cut ?? '';
      row[8] = result.retryAfterMs ?? -1;
    },
    size: () => rows.length,
    clear() {
      first += rows.length;
      rows = [];
      blocks = [];
      blockNumbers = new Map();
    },
    dump(file) {
      const out = openSync(file, 'w');
      try {
        writeSync(out, `${JSON.stringify(blocks)}\n`);
        for (let from = 0; from < rows.length; from += 10_000) {
          const lines = rows.slice(from, from + 10_000).map((row) => JSON.stringify(row));
          writeSync(out, `${lines.join('\n')}\n`);
        }
      } finally {
        closeSync(out);
      }
    },
  };
}

/** Reads what `dump` wrote. */
export function readLog(file: string): LogEntry[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const blocks = JSON.parse(lines[0] ?? '[]') as string[];
  const entries: LogEntry[] = [];
  for (let n = 1; n < lines.length; n++) {
    const line = lines[n] as string;
    if (line !== '') entries.push(entryOf(JSON.parse(line) as Row, blocks));
  }
  return entries;
}

function entryOf(row: Row, blocks: readonly string[]): LogEntry {
  const [startNs, endNs, secure, host, path, method, status, cut, retryAfterMs, peerPort, block] = row;
  const headers = blocks[block] ?? '';
  return {
    startNs,
    endNs,
    scheme: secure === 1 ? 'https' : 'http',
    host,
    path,
    method,
    status,
    ...(cut === '' ? {} : { cut }),
    ...(retryAfterMs < 0 ? {} : { retryAfterMs }),
    peerPort,
    agent: /^user-agent: *(.*)$/im.exec(headers)?.[1] ?? '',
    headers,
  };
}
