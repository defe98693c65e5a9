/** Numbers, sizes and times as people read them. English grouping everywhere, so output can be compared. */

export function count(n: number): string {
  return Math.round(n)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 host`, `2 hosts`; irregular plurals are given. */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** Decimal units, at most three digits: `512 B`, `4.1 MB`, `148 MB`. */
export function bytes(n: number): string {
  let value = Math.max(0, n);
  let unit = 0;
  // 999.5 would be rounded to 1000 of the smaller unit.
  while (value >= 999.5 && unit < byteUnits.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${byteUnits[unit]}`;
}

/** A stop watch: `01:32`, `1:02:10`, `2 d 03:12:00`. */
export function stopwatch(ms: number): string {
  const total = Math.max(0, Math.floor(ms / 1000));
  const days = Math.floor(total / 86_400);
  const hours = Math.floor((total % 86_400) / 3600);
  const minutes = two(Math.floor((total % 3600) / 60));
  const seconds = two(total % 60);
  if (days > 0) return `${days} d ${two(hours)}:${minutes}:${seconds}`;
  return hours > 0 ? `${hours}:${minutes}:${seconds}` : `${minutes}:${seconds}`;
}

function two(n: number): string {
  return n.toString().padStart(2, '0');
}

/** A short time with the digits that matter: `240 ms`, `0.9 s`, `12 s`, `3 min`, `2 h 10 min`, `3 days`. */
export function span(ms: number): string {
  if (ms < 1) return '0 s';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 9950) return `${trimZero((ms / 1000).toFixed(1))} s`;
  if (ms < 99_500) return `${Math.round(ms / 1000)} s`;
  return longSpan(ms);
}

/** For times people plan by: `49 min`, `2 h 10 min`, `3 days`. */
export function longSpan(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) {
    const rest = minutes % 60;
    return `${Math.floor(minutes / 60)} h${rest === 0 ? '' : ` ${rest} min`}`;
  }
  return plural(Math.round(minutes / 1440), 'day');
}

function trimZero(text: string): string {
  return text.replace(/\.0$/, '');
}

/** Seconds with a fixed number of digits, for columns: `0.31 s`, `12.0 s`. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 9995 ? 2 : 1)} s`;
}

/** Time until something happens in tenths, so that a countdown does not change its shape: `1.2 s`. */
export function countdown(ms: number): string {
  return ms < 59_950 ? `${(Math.max(0, ms) / 1000).toFixed(1)} s` : longSpan(ms);
}

/** Pages per second: `0.4`, `14.2`, `1,203`. */
export function rate(perSecond: number): string {
  return perSecond < 99.95 ? perSecond.toFixed(1) : count(perSecond);
}

/** Local time of day: `14:31:07`, with the date when it is not within a day. */
export function timeOfDay(atMs: number, nowMs: number): string {
  const at = new Date(atMs);
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  if (Math.abs(atMs - nowMs) < 20 * 3_600_000) return time;
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${time}`;
}

/** `1 %`, `0.33 %`: two digits that matter, never rounded to a figure that would hide a miss. */
export function percent(share: number): string {
  const value = share * 100;
  const digits = value === 0 || value >= 10 ? 0 : value >= 1 ? 1 : 2;
  return `${trimZero(value.toFixed(digits))}%`;
}
