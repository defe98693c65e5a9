import { hash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * Finds lines of a JSON-lines file by the URL that they are about. Of each line only a fingerprint and its place are
 * kept in memory, 16 bytes in a table that is at least half empty: 10 million lines take about half a gigabyte.
 */
export interface LineTable {
  readonly size: number;
  /** The last line about a URL, once. */
  take(url: string): Promise<{ url: string } | undefined>;
}

const smallest = 1_024;
const readBytes = 65_536;
const empty = -1;
const taken = -2;

/** Undefined where there is no such file. */
export async function openLineTable(path: string): Promise<LineTable | undefined> {
  if (!existsSync(path)) return undefined;
  let prints = new Float64Array(smallest);
  let places = new Float64Array(smallest).fill(empty);
  let size = 0;

  function* slots(print: number): Generator<number> {
    const last = places.length - 1;
    for (let slot = print % places.length; places[slot] !== empty; slot = slot === last ? 0 : slot + 1)
      yield slot;
  }

  function insert(print: number, place: number): void {
    let free = print % places.length;
    while (places[free] !== empty) free = free + 1 === places.length ? 0 : free + 1;
    prints[free] = print;
    places[free] = place;
  }

  function grow(): void {
    const [oldPrints, oldPlaces] = [prints, places];
    prints = new Float64Array(oldPlaces.length * 2);
    places = new Float64Array(oldPlaces.length * 2).fill(empty);
    for (const [slot, place] of oldPlaces.entries())
      if (place !== empty) insert(oldPrints[slot] as number, place);
  }

  for await (const { line, place } of linesOf(path)) {
    const url = urlIn(line);
    if (url === undefined) continue;
    if (size * 2 >= places.length) grow();
    insert(printOf(url), place);
    size++;
  }

  return {
    get size() {
      return size;
    },
    async take(url) {
      const print = printOf(url);
      let found: { line: { url: string }; place: number } | undefined;
      for (const slot of slots(print)) {
        const place = places[slot] as number;
        if (place === taken || prints[slot] !== print) continue;
        const line = JSON.parse(await lineAt(path, place)) as { url: string };
        if (line.url !== url) continue;
        places[slot] = taken;
        if (!found || place > found.place) found = { line, place };
      }
      return found?.line;
    },
  };
}

/** 52 bits: two of 10 million URLs have the same one in one case of a hundred, and then the lines tell them apart. */
function printOf(url: string): number {
  return Number.parseInt(hash('sha1', url).slice(0, 13), 16);
}

function urlIn(line: string): string | undefined {
  try {
    const { url } = JSON.parse(line) as { url?: unknown };
    return typeof url === 'string' ? url : undefined;
  } catch {
    return undefined;
  }
}

async function* linesOf(path: string): AsyncGenerator<{ line: string; place: number }> {
  let rest: Buffer = Buffer.alloc(0);
  let place = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      yield { line: bytes.toString('utf8', from, end), place: place + from };
      from = end + 1;
    }
    rest = bytes.subarray(from);
    place += from;
  }
}

async function lineAt(path: string, place: number): Promise<string> {
  const file = await open(path);
  try {
    let bytes: Buffer = Buffer.alloc(0);
    for (;;) {
      const piece = Buffer.alloc(readBytes);
      const { bytesRead } = await file.read(piece, 0, readBytes, place + bytes.length);
      bytes = Buffer.concat([bytes, piece.subarray(0, bytesRead)]);
      const end = bytes.indexOf(10);
      if (end >= 0 || bytesRead === 0) return bytes.toString('utf8', 0, end < 0 ? undefined : end);
    }
  } finally {
    await file.close();
  }
}
