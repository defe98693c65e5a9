import type { Duplex } from 'node:stream';

/** Frames over a stream of bytes, such as a pipe between two processes: each a length of four bytes, then text. */
export interface FrameStream {
  /** `sent` is called when the system has taken it, or never will. */
  send(text: string, sent: () => void): void;
  /** What was sent before still arrives. */
  end(): void;
  /** At once. */
  destroy(): void;
  /** Nothing more is read; the other side notices when its buffers are full. */
  pause(): void;
  resume(): void;
  /** Bytes that were sent and not yet taken by the system. */
  readonly unread: number;
  readonly open: boolean;
}

export interface FrameStreamEvents {
  frame(text: string, bytes: number): void;
  /** Called once, after the last frame. */
  closed(reason: string): void;
}

export interface FrameStreamOptions {
  /** Of one frame; a larger one ends the stream. */
  maxBytes: number;
}

const HEAD_BYTES = 4;

export function frameStream(
  stream: Duplex,
  { maxBytes }: FrameStreamOptions,
  events: FrameStreamEvents,
): FrameStream {
  let chunks: Buffer[] = [];
  let gathered = 0;
  /** Bytes until the next frame is whole. */
  let needed = HEAD_BYTES;
  let reason = 'the other end is closed';
  let open = true;

  function take(chunk: Buffer): void {
    chunks.push(chunk);
    gathered += chunk.length;
    if (gathered < needed) return;
    // Joined only when a frame is whole: a large one comes in many pieces.
    const all = chunks.length === 1 ? chunk : Buffer.concat(chunks, gathered);
    let at = 0;
    for (;;) {
      const left = all.length - at;
      const size = left < HEAD_BYTES ? 0 : all.readUInt32LE(at);
      if (size > maxBytes) return fail(`a frame of ${size} bytes is larger than ${maxBytes}`);
      needed = HEAD_BYTES + size;
      if (left < needed) break;
      const end = at + needed;
      events.frame(all.toString('utf8', at + HEAD_BYTES, end), size);
      at = end;
    }
    gathered = all.length - at;
    chunks = gathered === 0 ? [] : [all.subarray(at)];
  }

  function fail(why: string): void {
    reason = why;
    stream.destroy();
  }

  stream.on('data', take);
  // A stream that fails closes after it.
  stream.on('error', (error) => {
    reason = error.message;
  });
  stream.on('end', () => stream.end());
  stream.once('close', () => {
    open = false;
    events.closed(reason);
  });

  return {
    send(text, sent) {
      const bytes = Buffer.allocUnsafe(HEAD_BYTES + Buffer.byteLength(text));
      bytes.writeUInt32LE(bytes.length - HEAD_BYTES);
      bytes.write(text, HEAD_BYTES);
      stream.write(bytes, () => sent());
    },
    end: () => void stream.end(),
    destroy: () => void stream.destroy(),
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
    get unread() {
      return stream.writableLength;
    },
    get open() {
      return open && stream.writable;
    },
  };
}
