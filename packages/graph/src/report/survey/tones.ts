import type { PageRecord } from '@webfarer/protocol';

/** Colours by role; the style sheet knows them. */
export type Tone =
  | 'done'
  | 'accent'
  | 'client'
  | 'refused'
  | 'failed'
  | 'dead'
  | 'queued'
  | 'leased'
  | `c${number}`;

/** The colour a status is shown in. */
export function toneOf(status: number): Tone {
  if (status >= 500) return 'failed';
  if (status >= 400) return 'client';
  return status >= 300 ? 'accent' : 'done';
}

/** How URLs end, as pictures tell it. */
export const outcomeTones: readonly { name: string; tone: Tone }[] = [
  { name: '2xx', tone: 'done' },
  { name: '3xx', tone: 'accent' },
  { name: '4xx', tone: 'client' },
  { name: '5xx', tone: 'failed' },
  { name: 'no answer', tone: 'dead' },
  { name: 'refused', tone: 'refused' },
];

export function outcomeTone({ verdict, status }: Pick<PageRecord, 'verdict' | 'status'>): Tone {
  if (verdict === 'refused') return 'refused';
  return status === undefined ? 'dead' : toneOf(status);
}
