/** What the form reads of a job, as it was written: nothing is checked here, and nothing else is touched. */
export type Fields = Readonly<Record<string, unknown>>;

export function valueAt(fields: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? (at as Fields)[key] : undefined),
    fields,
  );
}

/** A number where a person typed one, else the text; nothing where there is none. */
export function plainValue(text: string): string | number | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  return /^(?:0|[1-9]\d{0,14})(?:\.\d{1,6})?$/.test(trimmed) ? Number(trimmed) : trimmed;
}

export function shownPlain(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Whether a field of the form can show the value: what is neither text nor number is changed in the text. */
export const isPlain = (value: unknown): boolean =>
  value === undefined || typeof value === 'string' || typeof value === 'number';

const entry = /^(sitemap|file|regex):\s+(.+)$/;

/** One entry a line; `sitemap: URL`, `regex: …` are entries with a field. */
export function listOf(text: string): unknown[] | undefined {
  const lines = text.split('\n').map((each) => each.trim());
  const entries = lines
    .filter((each) => each !== '')
    .map((each) => {
      const [, key, value] = entry.exec(each) ?? [];
      return key === undefined ? each : { [key]: value };
    });
  return entries.length === 0 ? undefined : entries;
}

export function shownList(value: unknown): string {
  return Array.isArray(value) ? value.map(shownEntry).join('\n') : '';
}

function shownEntry(item: unknown): string {
  if (typeof item !== 'object' || item === null) return String(item);
  const [key = '', value] = Object.entries(item)[0] ?? [];
  return `${key}: ${String(value)}`;
}

/** Whether a list comes back from its lines as it is. */
export const isListOfLines = (value: unknown): boolean =>
  value === undefined ||
  (Array.isArray(value) && JSON.stringify(listOf(shownList(value)) ?? []) === JSON.stringify(value));

export const savers = ['warc', 'files', 'tar', 'markdown'] as const;
export type Saver = (typeof savers)[number];
/** What a job saves that says nothing about it. */
const usualSave = ['warc'];

const kindOf = (target: unknown): string =>
  typeof target === 'object' && target !== null ? (Object.keys(target)[0] ?? '') : String(target);

export function savesWith(save: unknown): string[] {
  return (Array.isArray(save) ? save : usualSave).map(kindOf);
}

/** Another saver, or one less; what is said of the others stays. Without any, nothing is saved. */
export function withSaver(save: unknown, saver: Saver, isOn: boolean): unknown[] {
  const before: unknown[] = (Array.isArray(save) ? save : usualSave).filter(
    (target) => kindOf(target) !== 'none',
  );
  const others = before.filter((target) => kindOf(target) !== saver);
  const after = isOn ? [...before.filter((target) => kindOf(target) !== saver), saver] : others;
  return after.length === 0 ? ['none'] : after;
}

export const tagsOf = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
];

/** `museum` → `museum-2` → `museum-3`: a name that is probably free. */
export function nextName(name: string): string {
  const [, stem = name, number = '1'] = /^(.*)-(\d{1,6})$/s.exec(name) ?? [];
  return `${stem}-${Number(number) + 1}`;
}
