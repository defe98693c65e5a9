import type { DeflateRaw, Gunzip, Inflate, InflateRaw } from 'node:zlib';
import { constants } from 'node:zlib';

/**
 * Compresses or decompresses many short inputs with one zlib stream, which is reset before each. Creating a stream takes
 * longer than a small input does, and every stream holds tens of kilobytes outside of the heap until it is collected.
 */
export interface ReusableCoder {
  /**
   * The number of bytes written to `output`. Undefined when the input is faulty or `output` was filled: the caller then
   * starts again with the functions of `node:zlib`, which also say what is wrong.
   */
  code(input: Buffer, output: Buffer, flush?: number): number | undefined;
}

type Coding = DeflateRaw | Gunzip | Inflate | InflateRaw;

/** Node offers no public way to reset and run a stream within one call. This is what its own `gunzipSync` runs. */
interface Internals {
  _handle?: {
    reset(): void;
    writeSync(
      flush: number,
      input: Buffer,
      inputAt: number,
      inputBytes: number,
      output: Buffer,
      outputAt: number,
      outputBytes: number,
    ): void;
  } | null;
  /** Bytes of output, then of input, that are left after a write. */
  _writeState?: Uint32Array;
}

/** On a Node whose streams look different inside, `code` always answers undefined. */
export function reusableCoder(create: () => Coding): ReusableCoder {
  let stream: (Coding & Internals) | undefined;
  let failed = false;

  function open(): Coding & Internals {
    const opened: Coding & Internals = create();
    // The stream reports a fault within the write, and is of no use afterwards.
    opened.on('error', () => undefined);
    return opened;
  }

  return {
    code(input, output, flush = constants.Z_FINISH) {
      if (failed) return undefined;
      stream ??= open();
      const { _handle: handle, _writeState: state } = stream;
      if (typeof handle?.writeSync !== 'function' || typeof handle.reset !== 'function' || !state) {
        failed = true;
        return undefined;
      }
      handle.reset();
      handle.writeSync(flush, input, 0, input.length, output, 0, output.length);
      if (stream._handle !== handle || stream.destroyed) {
        stream = undefined;
        return undefined;
      }
      const [left = 0] = state;
      return left === 0 ? undefined : output.length - left;
    },
  };
}
