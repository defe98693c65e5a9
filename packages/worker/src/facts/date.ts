/** Longer texts are no dates. */
const maxChars = 80;

const clock = String.raw`(\d{1,2})[:h](\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?\s*([ap]\.?m\.?)?\s*([a-z]{1,4}|[+-]\d{2}:?\d{2}|[+-]\d{2})?`;
const zoned = String.raw`(?:(?:T|,?\s+(?:at\s+)?)${clock})?`;
// allow(expression): of the constants of this file
const written = (source: string) => new RegExp(source, 'i');
const forms = [
  { order: 'ymd', form: written(`^(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})${zoned}$`) },
  { order: 'ymd', form: written(`^(\\d{4})()(\\d{2})(\\d{2})${zoned}$`) },
  {
    order: 'dmy',
    form: written(
      `^(?:[a-z]{3,9},?\\s+)?(\\d{1,2})(?:st|nd|rd|th)?()[\\s-]+([a-z]{3,9})\\.?,?[\\s-]+(\\d{4})${zoned}$`,
    ),
  },
  {
    order: 'mdy',
    form: written(
      `^(?:[a-z]{3,9},?\\s+)?([a-z]{3,9})()\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?,?\\s+(\\d{4})${zoned}$`,
    ),
  },
] as const;

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const monthName =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/i;
/** The names of RFC 822. */
const zones: ReadonlyMap<string, string> = new Map([
  ['z', 'Z'],
  ['utc', 'Z'],
  ['gmt', 'Z'],
  ['ut', 'Z'],
  ['est', '-05:00'],
  ['edt', '-04:00'],
  ['cst', '-06:00'],
  ['cdt', '-05:00'],
  ['mst', '-07:00'],
  ['mdt', '-06:00'],
  ['pst', '-08:00'],
  ['pdt', '-07:00'],
]);

/**
 * A date as ISO 8601: `2026-03-01`, or with a time `2026-03-01T09:30:00+01:00`; without a zone where the page names none.
 * Reads ISO 8601, RFC 822 and dates with an English month. Answers undefined for everything else, also for `03/04/2026`,
 * which means two different days.
 */
export function readDate(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > maxChars) return undefined;
  for (const { order, form } of forms) {
    const match = form.exec(trimmed);
    if (match === null) continue;
    const [, first = '', , second = '', third = '', ...time] = match;
    const [year, month, day] =
      order === 'ymd'
        ? [first, second, third]
        : order === 'dmy'
          ? [third, second, first]
          : [third, first, second];
    return isoOf({ year: Number(year), month: monthOf(month), day: Number(day) }, time);
  }
  return undefined;
}

function monthOf(text: string): number {
  if (/^\d/.test(text)) return Number(text);
  return monthName.test(text) ? months.indexOf(text.slice(0, 3).toLowerCase()) + 1 : 0;
}

interface Day {
  year: number;
  month: number;
  day: number;
}

function isoOf({ year, month, day }: Day, time: readonly (string | undefined)[]): string | undefined {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  if (month < 1 || month > 12 || day < 1 || day > days) return undefined;
  const date = `${pad(year, 4)}-${pad(month)}-${pad(day)}`;
  const [hours, minutes = '', seconds = '00', half, zone] = time;
  if (hours === undefined) return date;
  const hour = hourOf(Number(hours), half);
  if (hour === undefined || Number(minutes) > 59 || Number(seconds) > 60) return undefined;
  const offset = zone === undefined ? '' : offsetOf(zone);
  return offset === undefined ? undefined : `${date}T${pad(hour)}:${minutes}:${seconds}${offset}`;
}

function hourOf(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour > 23 ? undefined : hour;
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (/^p/i.test(half) ? 12 : 0);
}

function offsetOf(zone: string): string | undefined {
  const digits = /^([+-]\d{2}):?(\d{2})?$/.exec(zone);
  return digits ? `${digits[1]}:${digits[2] ?? '00'}` : zones.get(zone.toLowerCase());
}

function pad(number: number, width = 2): string {
  return String(number).padStart(width, '0');
}
