import { inflateSync } from 'node:zlib';

/** Pixels of a picture, channel by channel. */
export interface Pixels {
  width: number;
  height: number;
  /** Three of colour, or four with opacity. */
  channels: number;
  data: Buffer;
}

/** Reads a PNG as browsers write screenshots: eight bits, colour with or without opacity, not interlaced. */
export function readPng(png: Buffer): Pixels {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const [depth, type, interlaced] = [png[24], png[25], png[28]];
  const channels = type === 2 ? 3 : 4;
  if (depth !== 8 || (type !== 2 && type !== 6) || interlaced !== 0)
    throw new Error(`a PNG of another kind: depth ${depth}, type ${type}`);
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const data = unfiltered(inflateSync(Buffer.concat(parts)), width * channels, channels);
  return { width, height, channels, data };
}

/** Each line begins with how its bytes differ from those before and above them. */
function unfiltered(raw: Buffer, stride: number, channels: number): Buffer {
  const lines = raw.length / (stride + 1);
  const out = Buffer.alloc(lines * stride);
  for (let y = 0; y < lines; y++) {
    const from = y * (stride + 1);
    const filter = raw[from] as number;
    raw.copy(out, y * stride, from + 1, from + 1 + stride);
    if (filter === 0) continue;
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x;
      const left = x < channels ? 0 : (out[at - channels] as number);
      const above = y === 0 ? 0 : (out[at - stride] as number);
      const corner = x < channels || y === 0 ? 0 : (out[at - stride - channels] as number);
      out[at] = (out[at] as number) + guess(filter, left, above, corner);
    }
  }
  return out;
}

function guess(filter: number, left: number, above: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  const sum = left + above - corner;
  const a = Math.abs(sum - left);
  const b = Math.abs(sum - above);
  const c = Math.abs(sum - corner);
  return a <= b && a <= c ? left : b <= c ? above : corner;
}

/** Steps of 256 by which a colour may differ and still look the same. */
const colourSteps = 16;

/** The share of pixels that look different; all of them where the sizes differ. */
export function difference(one: Pixels, other: Pixels): number {
  if (one.width !== other.width || one.height !== other.height) return 1;
  if (one.data.equals(other.data)) return 0;
  let different = 0;
  const pixels = one.width * one.height;
  for (let n = 0; n < pixels; n++) {
    for (let channel = 0; channel < 3; channel++) {
      const [a, b] = [one.data[n * one.channels + channel], other.data[n * other.channels + channel]];
      if (Math.abs((a ?? 0) - (b ?? 0)) <= colourSteps) continue;
      different += 1;
      break;
    }
  }
  return different / pixels;
}
