import type { Client } from '../api/client.ts';

export type Team = Awaited<ReturnType<Client['listTeams']>>['items'][number];

export const quotaNames = [
  'crawls',
  'seedBytes',
  'pagesPerDay',
  'pagesPerMonth',
  'bytesPerDay',
  'bytesPerMonth',
] as const;
export type QuotaName = (typeof quotaNames)[number];
export type Quotas = Partial<Record<QuotaName, number>>;

/** Where a team has no number of its own, a default holds. */
export const hasDefault = (name: QuotaName): boolean => name === 'crawls' || name === 'seedBytes';
export const isBytes = (name: QuotaName): boolean => name === 'seedBytes' || name.startsWith('bytes');

/** Bytes are typed in gigabytes, those of seeds in megabytes. */
const unitOf = (name: QuotaName): number => (name === 'seedBytes' ? 1e6 : isBytes(name) ? 1e9 : 1);

/** What the fields of the dialog hold. */
export type TeamFields = Record<QuotaName | 'weight', string>;

export function fieldsOf(weight: number, quotas: Readonly<Record<string, number | undefined>>): TeamFields {
  const fields = { weight: String(weight) } as TeamFields;
  for (const name of quotaNames) {
    const value = quotas[name];
    fields[name] = value === undefined ? '' : String(value / unitOf(name));
  }
  return fields;
}

/** What the fields ask for; undefined: a field holds no number that could be meant. */
export function wishIn(fields: TeamFields): { weight: number; quotas: Quotas } | undefined {
  const weight = numberIn(fields.weight);
  if (weight === undefined || weight < 0.01 || weight > 1_000) return undefined;
  const quotas: Quotas = {};
  for (const name of quotaNames) {
    if (fields[name].trim() === '') continue;
    const value = numberIn(fields[name]);
    if (value === undefined || value < 0) return undefined;
    const amount = Math.round(value * unitOf(name));
    if (!Number.isSafeInteger(amount)) return undefined;
    quotas[name] = amount;
  }
  return { weight, quotas };
}

/** A comma is a decimal mark where people write one; thousands are not separated. */
function numberIn(text: string): number | undefined {
  const plain = text.trim().replace(',', '.');
  return /^\d{1,15}(\.\d{1,9})?$/.test(plain) ? Number(plain) : undefined;
}
