import type { Random } from './random.ts';

/** Bytes that decoders and parsers stumble over. */
const nasty: readonly Buffer[] = [
  '00',
  '0a',
  '0d',
  '0d0a',
  '0d0a0d0a',
  '20',
  '09',
  '0b',
  '0c',
  '22',
  '27',
  '3c',
  '3e',
  '26',
  '23',
  '25',
  '5c',
  '2f',
  '3a',
  '3b',
  '7f',
  '80',
  'ff',
  'fe',
  'c0af',
  'e28080',
  'eda080',
  'f09f9880',
  'f4908080',
  'efbbbf',
  'feff',
  'fffe',
  '1b2442',
  '1b2842',
  '1f8b08',
  '2d31',
  '30',
  '39393939393939393939393939393939393939',
  '30783130',
  '25303025',
].map((hex) => Buffer.from(hex, 'hex'));

/** No input grows beyond this by mutation. */
const maxBytes = 300_000;

/** Changes an input in a few places. `words` are pieces that mean something to its reader. */
export function mutate(random: Random, input: Buffer, words: readonly Buffer[]): Buffer {
  let bytes = input;
  for (let times = 1 + random.size(6); times > 0; times -= 1) bytes = mutateOnce(random, bytes, words);
  return bytes.subarray(0, maxBytes);
}

function mutateOnce(random: Random, bytes: Buffer, words: readonly Buffer[]): Buffer {
  const at = random.below(bytes.length + 1);
  const length = Math.min(random.size(64), bytes.length - at);
  const before = bytes.subarray(0, at);
  const after = bytes.subarray(at);
  switch (random.below(9)) {
    case 0:
      return Buffer.concat([before, bytes.subarray(at + length)]);
    case 1:
      return Buffer.concat([before, random.pick(nasty), after]);
    case 2:
    case 3:
      return Buffer.concat([before, words.length > 0 ? random.pick(words) : random.pick(nasty), after]);
    case 4: {
      const flipped = Buffer.from(bytes);
      if (at < flipped.length) flipped[at] = (flipped[at] as number) ^ (1 << random.below(8));
      return flipped;
    }
    case 5: {
      const changed = Buffer.from(bytes);
      if (at < changed.length) changed[at] = random.below(256);
      return changed;
    }
    case 6:
      return before;
    case 7: {
      const piece = bytes.subarray(at, at + Math.max(1, length));
      return Buffer.concat([before, ...Array<Buffer>(1 + random.size(200)).fill(piece), after]);
    }
    default: {
      const from = random.below(bytes.length + 1);
      return Buffer.concat([before, bytes.subarray(from, from + random.size(256)), after]);
    }
  }
}

/** A text put together from pieces. */
export function assemble(random: Random, pieces: readonly string[], most: number): string {
  let text = '';
  for (let left = 1 + random.size(most); left > 0; left -= 1) text += random.pick(pieces);
  return text;
}

/** The smallest part of an input that still does it, as far as a few hundred tries can tell. */
export async function minimise(
  input: Buffer,
  stillFails: (smaller: Buffer) => Promise<boolean>,
  tries = 400,
): Promise<Buffer> {
  let best = input;
  let left = tries;
  for (
    let step = Math.ceil(best.length / 2);
    step >= 1 && left > 0;
    step = step > 1 ? Math.ceil(step / 2) : 0
  ) {
    for (let at = 0; at < best.length && left > 0; ) {
      left -= 1;
      const smaller = Buffer.concat([best.subarray(0, at), best.subarray(at + step)]);
      if (await stillFails(smaller)) best = smaller;
      else at += step;
    }
  }
  return best;
}
