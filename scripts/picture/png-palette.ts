import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** A picture of a screen with 256 colours: a third of the bytes, and nobody sees the difference. */
export function withPalette(png: Buffer): Buffer {
  const { width, height, pixels } = decode(png);
  const { palette, indexOf } = choosePalette(pixels);
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = indexOf(3 * (y * width + x));
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const body = deflateSync(rows, { level: 9 });
  return Buffer.concat([
    png.subarray(0, 8),
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', body),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const frame = Buffer.alloc(8 + body.length);
  frame.writeUInt32BE(data.length, 0);
  body.copy(frame, 4);
  frame.writeUInt32BE(crc32(body), 4 + body.length);
  return frame;
}

/** Red, green and blue of every pixel, of a picture with 8 bits for each. */
function decode(png: Buffer): { width: number; height: number; pixels: Buffer } {
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const [width, height, size] = [png.readUInt32BE(16), png.readUInt32BE(20), png[25] === 6 ? 4 : 3];
  const rows = inflateSync(Buffer.concat(parts));
  const line = width * size;
  const pixels = Buffer.alloc(width * height * 3);
  let above = Buffer.alloc(line);
  for (let y = 0; y < height; y++) {
    const row = rows.subarray(y * (line + 1) + 1, (y + 1) * (line + 1));
    unfilter(row, above, { kind: rows[y * (line + 1)] ?? 0, size });
    for (let x = 0; x < width; x++) row.copy(pixels, 3 * (y * width + x), x * size, x * size + 3);
    above = row;
  }
  return { width, height, pixels };
}

function unfilter(row: Buffer, above: Buffer, { kind, size }: { kind: number; size: number }): void {
  for (let i = 0; i < row.length; i++) {
    const [left, up, corner] = [row[i - size] ?? 0, above[i] ?? 0, i < size ? 0 : (above[i - size] ?? 0)];
    const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][kind] ?? 0;
    row[i] = ((row[i] ?? 0) + guess) & 255;
  }
}

function paeth(a: number, b: number, c: number): number {
  const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/** The colours that are seen most, and rare ones that are like none of them; others are shown as the nearest. */
function choosePalette(pixels: Buffer): { palette: number[][]; indexOf: (at: number) => number } {
  const keyAt = (at: number) => pixels.readUIntBE(at, 3);
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += 3) counts.set(keyAt(at), (counts.get(keyAt(at)) ?? 0) + 1);
  const order = [...counts].sort((a, b) => b[1] - a[1]).map(([key]) => key);
  const palette = order.slice(0, commonColours).map(partsOf);
  for (const key of order.slice(commonColours, 20_000)) {
    if (palette.length === 256) break;
    if (nearest(palette, key).far > unlike) palette.push(partsOf(key));
  }
  const known = new Map<number, number>();
  const find = (key: number): number => {
    const { at } = nearest(palette, key);
    known.set(key, at);
    return at;
  };
  return { palette, indexOf: (at) => known.get(keyAt(at)) ?? find(keyAt(at)) };
}

const commonColours = 190;
/** Square of the distance from which on a colour counts as another one. */
const unlike = 500;

function partsOf(key: number): number[] {
  return [key >> 16, (key >> 8) & 255, key & 255];
}

function nearest(palette: readonly number[][], key: number): { at: number; far: number } {
  const [red = 0, green = 0, blue = 0] = partsOf(key);
  let best = { at: 0, far: Number.POSITIVE_INFINITY };
  for (const [at, [r = 0, g = 0, b = 0]] of palette.entries()) {
    const far = (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
    if (far < best.far) best = { at, far };
  }
  return best;
}
