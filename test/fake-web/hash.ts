/**
 * The only source of chance in the fake web: everything is a pure function of the seed and two indexes.
 * murmur3's mixing steps; not for security.
 */
export function hash(seed: number, a: number, b: number, salt: number): number {
  let h = seed | 0;
  h = mix(h, a);
  h = mix(h, b);
  h = mix(h, salt);
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

function mix(h: number, value: number): number {
  let k = Math.imul(value | 0, 0xcc9e2d51);
  k = (k << 15) | (k >>> 17);
  h ^= Math.imul(k, 0x1b873593);
  h = (h << 13) | (h >>> 19);
  return (Math.imul(h, 5) + 0xe6546b64) | 0;
}
