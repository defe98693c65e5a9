/** Times and sizes as people write them. A time always has a unit, so that it is unambiguous. */

const msPerUnit: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const bytesPerUnit: Record<string, number> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

export const durationPattern = /^\s*\d+(?:\.\d+)?\s*(?:ms|s|m|h|d)(?:\s*\d+(?:\.\d+)?\s*(?:ms|s|m|h|d))*\s*$/;
export const sizePattern = /^\s*\d+(?:\.\d+)?\s*(?:[kmgt]i?)?b\s*$/i;

/** `'500ms'`, `'1s'`, `'1h 30m'` in milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (!durationPattern.test(text)) return undefined;
  let ms = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)/g)) {
    ms += Number(amount) * (msPerUnit[unit ?? ''] ?? Number.NaN);
  }
  return Math.round(ms);
}

/** `'10MB'` (powers of 1,000) or `'10MiB'` (powers of 1,024) in bytes; undefined when it is neither. */
export function parseSize(text: string): number | undefined {
  if (!sizePattern.test(text)) return undefined;
  const [, amount, unit] = /(\d+(?:\.\d+)?)\s*(\w+)/.exec(text) ?? [];
  const factor = bytesPerUnit[(unit ?? '').toLowerCase()];
  return factor === undefined ? undefined : Math.round(Number(amount) * factor);
}

/** The shortest exact way to write a time: `90000` is `1m 30s`. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s';
  let left = Math.round(ms);
  const parts: string[] = [];
  for (const unit of ['d', 'h', 'm', 's', 'ms']) {
    const size = msPerUnit[unit] ?? 1;
    const count = Math.floor(left / size);
    if (count > 0) parts.push(`${count}${unit}`);
    left -= count * size;
  }
  return parts.join(' ');
}

/** The largest decimal unit that stays exact to two places: `20000000000` is `20GB`. */
export function formatSize(bytes: number): string {
  for (const unit of ['TB', 'GB', 'MB', 'KB']) {
    const amount = bytes / (bytesPerUnit[unit.toLowerCase()] ?? 1);
    if (amount >= 1 && Number.isInteger(Math.round(amount * 1e6) / 1e4)) return `${amount}${unit}`;
  }
  return `${bytes}B`;
}
