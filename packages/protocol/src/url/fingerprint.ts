/**
 * 64-bit fingerprints of URLs, keyed by a secret, so that no site owner can craft two URLs that collide and
 * hide one behind the other. SipHash-1-3 on 32-bit halves: JavaScript has no 64-bit integers that are fast.
 */
export interface Fingerprinter {
  /** Signed, so that it fits SQLite's and Redis' integers. */
  (url: string): bigint;
  /** The same without a bigint: writes `[low, high]` to `out`, for code that must not allocate. */
  into(url: string, out: Int32Array): void;
}

/** The secret is at least 16 bytes; the first 16 are the key. The same secret gives the same fingerprints. */
export function fingerprinter(secret: Uint8Array): Fingerprinter {
  if (secret.length < 16) throw new RangeError('a fingerprint secret has at least 16 bytes');
  const view = new DataView(secret.buffer, secret.byteOffset, 16);
  const key = [0, 4, 8, 12].map((at) => view.getInt32(at, true));
  const [k0 = 0, k1 = 0, k2 = 0, k3 = 0] = key;
  const into = (url: string, out: Int32Array): void => {
    const ascii = asciiOf(url);
    const length = ascii.length;
    // v0 to v3 of SipHash, low and high half each.
    let al = k0 ^ 0x70736575;
    let ah = k1 ^ 0x736f6d65;
    let bl = k2 ^ 0x6e646f6d;
    let bh = k3 ^ 0x646f7261;
    let cl = k0 ^ 0x6e657261;
    let ch = k1 ^ 0x6c796765;
    let dl = k2 ^ 0x79746573;
    let dh = k3 ^ 0x74656462;
    const blocks = length >>> 3;
    const steps = blocks + 4;
    let low = 0;
    let high = 0;
    for (let step = 0; step < steps; step++) {
      if (step < blocks) {
        const i = step << 3;
        low = word(ascii, i);
        high = word(ascii, i + 4);
      } else if (step === blocks) {
        low = tail(ascii, step << 3, 4);
        high = tail(ascii, (step << 3) + 4, 3) | (length << 24);
      } else {
        if (step === blocks + 1) cl ^= 0xff;
        low = 0;
        high = 0;
      }
      dl ^= low;
      dh ^= high;
      // One round. A sum's carry is 1 where the unsigned low half came out smaller than a summand.
      al = (al + bl) | 0;
      ah = (ah + bh + (al >>> 0 < bl >>> 0 ? 1 : 0)) | 0;
      let t = bh;
      bh = ((bh << 13) | (bl >>> 19)) ^ ah;
      bl = ((bl << 13) | (t >>> 19)) ^ al;
      t = al;
      al = ah;
      ah = t;
      cl = (cl + dl) | 0;
      ch = (ch + dh + (cl >>> 0 < dl >>> 0 ? 1 : 0)) | 0;
      t = dh;
      dh = ((dh << 16) | (dl >>> 16)) ^ ch;
      dl = ((dl << 16) | (t >>> 16)) ^ cl;
      al = (al + dl) | 0;
      ah = (ah + dh + (al >>> 0 < dl >>> 0 ? 1 : 0)) | 0;
      t = dh;
      dh = ((dh << 21) | (dl >>> 11)) ^ ah;
      dl = ((dl << 21) | (t >>> 11)) ^ al;
      cl = (cl + bl) | 0;
      ch = (ch + bh + (cl >>> 0 < bl >>> 0 ? 1 : 0)) | 0;
      t = bh;
      bh = ((bh << 17) | (bl >>> 15)) ^ ch;
      bl = ((bl << 17) | (t >>> 15)) ^ cl;
      t = cl;
      cl = ch;
      ch = t;
      al ^= low;
      ah ^= high;
    }
    out[0] = al ^ bl ^ cl ^ dl;
    out[1] = ah ^ bh ^ ch ^ dh;
  };
  const halves = new Int32Array(2);
  const whole = new BigInt64Array(halves.buffer);
  const fingerprint = (url: string): bigint => {
    into(url, halves);
    return whole[0] ?? 0n;
  };
  return Object.assign(fingerprint, { into });
}

/** Normalised URLs are ASCII. Anything else is hashed as its UTF-8 bytes, so that no two texts share theirs. */
function asciiOf(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}

function word(text: string, i: number): number {
  return (
    text.charCodeAt(i) |
    (text.charCodeAt(i + 1) << 8) |
    (text.charCodeAt(i + 2) << 16) |
    (text.charCodeAt(i + 3) << 24)
  );
}

/** At most `count` bytes from `i` on. Past the end charCodeAt is NaN, which becomes 0 in `|`. */
function tail(text: string, i: number, count: number): number {
  let value = 0;
  for (let k = 0; k < count; k++) value |= text.charCodeAt(i + k) << (8 * k);
  return value;
}
