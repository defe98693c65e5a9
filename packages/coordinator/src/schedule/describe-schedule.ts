import type { Schedule } from '@webfarer/protocol/api';

const dayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const shortDays = dayNames.map((name) => name.slice(0, 3).toUpperCase());

/** When a schedule runs: `every 3 days`, `at 04:30 on Monday (Europe/Paris)`. */
export function describeSchedule({
  when,
  timeZone,
  timing,
}: Pick<Schedule, 'when' | 'timeZone' | 'timing'>): string {
  const after = timing === 'after-previous';
  if ('every' in when) {
    const { every, unit } = when;
    const length = every === 1 ? `${unit === 'hours' ? 'an' : 'a'} ${unit.slice(0, -1)}` : `${every} ${unit}`;
    if (after) return `${length} after the end of the run before`;
    const isElapsed = unit === 'minutes' || unit === 'hours';
    const times = every === 1 ? `every ${unit.slice(0, -1)}` : `every ${every} ${unit}`;
    return isElapsed ? times : `${times} (${timeZone})`;
  }
  const words = `${cronWords(when.cron)} (${timeZone})`;
  return after ? `${words}, the first time after the end of the run before` : words;
}

/** The patterns that people write; others are shown as they are. */
function cronWords(cron: string): string {
  const fields = cron.trim().split(/\s+/);
  const [second = '0', minute = '', hour = '', day = '', month = '', weekday = ''] =
    fields.length === 6 ? fields : ['0', ...fields];
  const days = dayWords(day, weekday);
  if (second !== '0' || month !== '*' || days === undefined) return `by the cron expression ${cron.trim()}`;
  const isNumber = (text: string) => /^\d+$/.test(text);
  const two = (text: string) => text.padStart(2, '0');
  if (isNumber(minute) && /^\d+(,\d+)*$/.test(hour))
    return `at ${hour
      .split(',')
      .map((each) => `${two(each)}:${two(minute)}`)
      .join(', ')} ${days}`;
  if (isNumber(minute) && hour === '*') return `every hour at minute ${Number(minute)} ${days}`;
  const step = /^\*\/(\d+)$/.exec(minute)?.[1];
  if (step !== undefined && hour === '*') return `every ${step} minutes ${days}`;
  return `by the cron expression ${cron.trim()}`;
}

function dayWords(day: string, weekday: string): string | undefined {
  if (day === '*' && weekday === '*') return 'every day';
  if (weekday === '*' && /^\d+(,\d+)*$/.test(day)) return `on day ${day.replaceAll(',', ', ')} of the month`;
  if (day !== '*') return undefined;
  if (/^(1-5|MON-FRI)$/i.test(weekday)) return 'from Monday to Friday';
  const names = weekday.split(',').map((each) => dayName(each));
  return names.includes(undefined) ? undefined : `on ${names.join(', ')}`;
}

function dayName(text: string): string | undefined {
  const place = shortDays.indexOf(text.toUpperCase());
  return dayNames[place >= 0 ? place : /^[0-7]$/.test(text) ? Number(text) % 7 : -1];
}
