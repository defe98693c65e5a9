import { parseUrl } from '@webfarer/protocol/url';
import type { ExtractField } from '@webfarer/protocol/job';
import { readDate } from '../facts/date.ts';
import { fold } from '../facts/walk.ts';

export type FieldValue = string | number | boolean;

/** What each type is called in an error. */
const nouns: Record<ExtractField['type'], string> = {
  text: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  date: 'a date',
  url: 'a URL',
  html: 'HTML',
};

/** A text as the type says, or undefined where it is none. `base`: what URLs are relative to. */
export function convert(text: string, type: ExtractField['type'], base: string): FieldValue | undefined {
  switch (type) {
    case 'text':
      return fold(text) || undefined;
    case 'html':
      return text.trim() || undefined;
    case 'number':
      return numberIn(text);
    case 'integer': {
      const number = numberIn(text);
      return Number.isSafeInteger(number) ? number : undefined;
    }
    case 'boolean':
      return booleanOf(text);
    case 'date':
      return readDate(text);
    case 'url':
      return text.trim() === '' ? undefined : parseUrl(text.trim(), base)?.href;
  }
}

export function notOfType(text: string, type: ExtractField['type']): string {
  const shown = fold(text);
  return `${JSON.stringify(shown.length > 60 ? `${shown.slice(0, 57)}…` : shown)} is not ${nouns[type]}`;
}

const maxNumberChars = 200;
const number = /[-+−]?(?:\d[\d.,'’\s\u00a0\u202f]{0,40}\d|\d)(?:e[-+]?\d{1,3}(?!\d))?/i;

/**
 * The first number in a text: `1,234.50 €`, `1.234,50`, `1 234`. Of `.` and `,` the last is the decimal sign, unless it
 * stands more than once, or it is a comma with three digits behind it.
 */
function numberIn(text: string): number | undefined {
  const found = number.exec(text.slice(0, maxNumberChars))?.[0];
  if (found === undefined) return undefined;
  const plain = found.replaceAll(/['’\s\u00a0\u202f]/g, '').replace('−', '-');
  const decimal = decimalSign(plain);
  const digits = [...plain].map((char) => (char === decimal ? '.' : /[.,]/.test(char) ? '' : char)).join('');
  const value = Number(digits);
  return Number.isFinite(value) ? value : undefined;
}

function decimalSign(text: string): string | undefined {
  const at = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','));
  const sign = text[at];
  if (sign === undefined || text.indexOf(sign) !== at) return undefined;
  const isOther = text.includes(sign === ',' ? '.' : ',');
  return sign === ',' && !isOther && /,\d{3}$/.test(text) ? undefined : sign;
}

function booleanOf(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (['true', 'yes', 'on', '1'].includes(word)) return true;
  return ['false', 'no', 'off', '0'].includes(word) ? false : undefined;
}
