/** Numbers, sizes and times as a reader of one language expects them. */
export interface Formats {
  count(n: number): string;
  /** With one decimal below 100: a rate that a person compares. */
  rate(n: number): string;
  percent(share: number): string;
  bytes(n: number): string;
  /** `45 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
  span(ms: number): string;
  /** One unit: for estimates, where more would be a lie. */
  roughSpan(ms: number): string;
  local(atMs: number): string;
  utc(atMs: number): string;
  clock(atMs: number): string;
  /** As short as ticks so far apart allow. */
  axisTime(atMs: number, stepMs: number): string;
  /** As people type numbers. */
  separators: { thousands: string; decimal: string };
}

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
const spanUnits = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'min', ms: 60_000 },
  { name: 's', ms: 1_000 },
];

export function formatsFor(locale: string): Formats {
  const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  const tenth = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const local = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const utc = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });
  const minute = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
  const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'medium', hourCycle: 'h23' });

  function span(ms: number): string {
    if (ms < 1_000) return `${whole.format(ms)} ms`;
    const at = spanUnits.findIndex((unit) => ms >= unit.ms);
    const [first, second] = [spanUnits[at], spanUnits[at + 1]];
    if (!first) return '0 s';
    const big = Math.floor(ms / first.ms);
    const small = second ? Math.floor((ms % first.ms) / second.ms) : 0;
    return second && small > 0
      ? `${whole.format(big)} ${first.name} ${small} ${second.name}`
      : `${whole.format(big)} ${first.name}`;
  }

  return {
    count: (n) => whole.format(n),
    rate: (n) => (n >= 100 ? whole : tenth).format(n),
    percent: (n) => share.format(n),
    bytes(n) {
      const power = Math.min(byteUnits.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, n)) / 3)));
      const value = n / 1000 ** power;
      return `${(power === 0 || value >= 100 ? whole : tenth).format(value)} ${byteUnits[power]}`;
    },
    span,
    roughSpan(ms) {
      const unit = spanUnits.find((each) => ms >= each.ms * 1.5) ?? { name: 's', ms: 1_000 };
      return `${whole.format(Math.max(1, Math.round(ms / unit.ms)))} ${unit.name}`;
    },
    local: (atMs) => local.format(atMs),
    utc: (atMs) => utc.format(atMs),
    clock: (atMs) => clock.format(atMs),
    axisTime(atMs, stepMs) {
      if (stepMs >= 86_400_000) return day.format(atMs);
      return (stepMs >= 60_000 ? minute : clock).format(atMs);
    },
    separators: separatorsOf(tenth),
  };
}

function separatorsOf(format: Intl.NumberFormat): Formats['separators'] {
  const parts = format.formatToParts(12_345.6);
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
  return { thousands: of('group'), decimal: of('decimal') };
}
