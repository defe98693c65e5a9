import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** More of a text says nothing new about its encoding. */
const mostBytes = 16_384;

interface Detector {
  memory: { buffer: ArrayBuffer };
  /** Where a text is written, followed by the domain it comes from. */
  input(): number;
  /** Leaves the name of an encoding where the text was, and answers its length. */
  guess(textBytes: number, domainBytes: number): number;
}

/** What Node offers; the types of the platform leave it to those for browsers. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: unknown };
};

// allow(state): the detector is compiled once; each call overwrites all that the last one left
let detector: Detector | undefined;

/**
 * The encoding that a text without a name is most likely written in, as a lower-case name of the Encoding standard.
 * `domain` is the top-level domain of the text: what is usual there decides between encodings that both fit.
 */
export function detectCharset(text: Buffer, domain = ''): string {
  // Most pages name their encoding, so that most crawls never get here.
  detector ??= open();
  const read = text.subarray(0, mostBytes);
  const known = /^[a-z0-9-]{2,63}$/.test(domain) ? domain : '';
  const place = new Uint8Array(detector.memory.buffer, detector.input());
  place.set(read);
  place.set(Buffer.from(known, 'latin1'), read.length);
  const length = detector.guess(read.length, known.length);
  const name = Buffer.from(place.subarray(0, length)).toString('latin1').toLowerCase();
  // One decoder reads both; this name says what may be in the text.
  return name === 'gbk' ? 'gb18030' : name;
}

function open(): Detector {
  const code = readFileSync(join(import.meta.dirname, 'chardetng.wasm'));
  return new WebAssembly.Instance(new WebAssembly.Module(code)).exports as Detector;
}
