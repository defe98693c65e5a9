import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { HostKey } from '@webfarer/protocol';
import { siteOf } from '@webfarer/protocol/url';
import type { FormKind } from '../../packages/worker/src/forms/form.ts';

/** A real page and what people wrote down about its forms. */
export interface AnnotatedPage {
  id: string;
  url: string;
  site: string;
  html: string;
  /** In document order; undefined where nobody said what a form is for. */
  forms: AnnotatedForm[];
}

export interface AnnotatedForm {
  kind: FormKind | undefined;
  /** By the names of the shown fields, in the corpus' own short words. */
  fields: Record<string, string>;
}

interface Entry {
  url: string;
  forms: string[];
  visible_html_fields: Record<string, string>[];
}

const kinds: Readonly<Record<string, FormKind>> = {
  l: 'login',
  r: 'register',
  p: 'recover',
  s: 'search',
  c: 'contact',
  m: 'join',
  b: 'other',
  o: 'other',
  P: 'other',
  V: 'other',
  N: 'other',
  C: 'other',
};

/** Rules and weights are made from the pages of one half, and judged on the other. No site is in both. */
export type Half = 'written-on' | 'judged-on';

export function halfOf(site: string): Half {
  return (createHash('sha256').update(site).digest()[0] ?? 0) % 2 === 0 ? 'written-on' : 'judged-on';
}

export function hasCorpus(corpora: string): boolean {
  return existsSync(join(corpora, 'login-forms', 'index.json'));
}

/** The pages of a half, in a fixed order. Those of the other half are not opened. */
export function readPages(corpora: string, half: Half): AnnotatedPage[] {
  const folder = join(corpora, 'login-forms');
  const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as Record<string, Entry>;
  return Object.entries(index)
    .map(([id, entry]) => ({ id, entry, site: siteOf(new URL(entry.url).hostname as HostKey) }))
    .filter(({ site }) => halfOf(site) === half)
    .map(({ id, entry, site }) => ({
      id,
      url: entry.url,
      site,
      html: gunzipSync(readFileSync(join(folder, id))).toString('utf8'),
      forms: entry.forms.map((kind, at) => ({
        kind: kinds[kind],
        fields: entry.visible_html_fields[at] ?? {},
      })),
    }));
}
