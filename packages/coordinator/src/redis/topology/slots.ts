export const slotCount = 16_384;

/** CRC16-XMODEM (polynomial 0x1021), by which the engine places keys. */
const table = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc & 0xffff;
});

/** The slot of a key: by the part within its first braces, or by the whole key where there is none. */
export function slotOf(key: string): number {
  const bytes = Buffer.from(hashTag(key));
  let crc = 0;
  for (let i = 0; i < bytes.length; i++) {
    crc = ((crc << 8) & 0xffff) ^ (table[((crc >> 8) ^ (bytes[i] as number)) & 0xff] as number);
  }
  return crc % slotCount;
}

function hashTag(key: string): string {
  const start = key.indexOf('{');
  if (start < 0) return key;
  const end = key.indexOf('}', start + 1);
  return end <= start + 1 ? key : key.slice(start + 1, end);
}
