/** What the main thread shows a thread that watches it. */
export interface GuardCells {
  shared: SharedArrayBuffer;
  /** How often the loop has turned, and how many bytes of text there are. */
  numbers: Int32Array;
  text: Buffer;
}

/** Enough for a URL of 2,083 bytes and the name of a crawl. */
const textBytes = 4_096;

export function guardCells(shared: SharedArrayBuffer = new SharedArrayBuffer(8 + textBytes)): GuardCells {
  return { shared, numbers: new Int32Array(shared, 0, 2), text: Buffer.from(shared, 8, textBytes) };
}

export function writeText({ numbers, text }: GuardCells, written: string): void {
  Atomics.store(numbers, 1, written === '' ? 0 : text.write(written, 'utf8'));
}

export function readText({ numbers, text }: GuardCells): string {
  return text.toString('utf8', 0, Atomics.load(numbers, 1));
}
