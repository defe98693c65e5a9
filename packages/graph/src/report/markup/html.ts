/** HTML that is safe to put into a page. Only `html` makes it, and it escapes every value it is given. */
export interface Html {
  readonly html: string;
}

export type HtmlValue = Html | readonly Html[] | string | number | undefined | false;

/** A template whose values are escaped, unless they are HTML already. */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  let text = strings[0] ?? '';
  for (const [i, value] of values.entries()) text += render(value) + (strings[i + 1] ?? '');
  return { html: text };
}

/** Text that is trusted as it is: style and script written by hand. */
export function trusted(text: string): Html {
  return { html: text };
}

export function join(parts: readonly Html[]): Html {
  return { html: parts.map((part) => part.html).join('') };
}

function render(value: HtmlValue): string {
  if (value === undefined || value === false) return '';
  if (typeof value === 'string') return escapeHtml(value);
  if (typeof value === 'number') return String(value);
  return 'html' in value ? value.html : value.map((part) => part.html).join('');
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Nothing to escape: most of what is escaped, so it is looked for first. */
const plain = /^[ !#-%(-;=?-_a-~]*$/;

/** For text and for quoted attributes. Control characters become spaces, bidirectional ones are dropped. */
export function escapeHtml(text: string): string {
  if (plain.test(text)) return text;
  return text
    .toWellFormed()
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ' ')
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|\p{Noncharacter_Code_Point}/gu, '')
    .replace(/[&<>"'`]/g, (char) => entities[char] ?? '');
}
