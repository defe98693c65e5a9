/** An answer as an archive holds it. */
export interface Capture {
  /** `HTTP/1.1 200 OK` */
  line: string;
  headers: [name: string, value: string][];
  /** As it was sent, still packed where it was. */
  body: Uint8Array;
}

/** Unpacks at most so many bytes: a small archive record can hold a very large page. */
export async function unpacked(
  bytes: Uint8Array,
  { format, most }: { format: CompressionFormat; most: number },
): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = new Blob([bytes as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new DecompressionStream(format))
    .getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { bytes: joined(pieces), isCut: false };
      pieces.push(value.subarray(0, most - length));
      length += value.length;
      if (length > most) return { bytes: joined(pieces), isCut: true };
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** The block of a WARC record, and its fields by name in lower case; undefined: it is none. */
export function warcRecordIn(
  bytes: Uint8Array,
): { fields: ReadonlyMap<string, string>; block: Uint8Array } | undefined {
  const head = headIn(bytes);
  if (!head?.line.startsWith('WARC/')) return undefined;
  const fields = new Map(head.headers.map(([name, value]) => [name.toLowerCase(), value]));
  const length = Number(fields.get('content-length') ?? 0);
  return { fields, block: bytes.subarray(head.end, head.end + length) };
}

/** The answer in the block of a response or revisit record. */
export function captureIn(block: Uint8Array): Capture | undefined {
  const head = headIn(block);
  if (!head?.line.startsWith('HTTP/')) return undefined;
  return { line: head.line, headers: head.headers, body: block.subarray(head.end) };
}

const [cr, lf] = [13, 10];

function headIn(bytes: Uint8Array): { line: string; headers: [string, string][]; end: number } | undefined {
  const end = endOfHead(bytes);
  if (end === undefined) return undefined;
  const [line = '', ...rest] = new TextDecoder().decode(bytes.subarray(0, end)).split(/\r?\n/);
  const headers = rest.flatMap((text): [string, string][] => {
    const colon = text.indexOf(':');
    return colon > 0 ? [[text.slice(0, colon), text.slice(colon + 1).trim()]] : [];
  });
  return { line, headers, end };
}

/** Behind the empty line. */
function endOfHead(bytes: Uint8Array): number | undefined {
  for (let at = bytes.indexOf(lf); at >= 0; at = bytes.indexOf(lf, at + 1)) {
    if (bytes[at + 1] === lf) return at + 2;
    if (bytes[at + 1] === cr && bytes[at + 2] === lf) return at + 3;
  }
  return undefined;
}
