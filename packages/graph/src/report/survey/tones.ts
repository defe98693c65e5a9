import type { PageRecord } from '@webfarer/protocol';
import { isErrorStatus, toneOfStatus } from '@webfarer/protocol/numbers';

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

/** How URLs end, as pictures tell it. */
export const outcomeTones: readonly { name: string; tone: Tone }[] = [
  { name: '2xx', tone: 'done' },
  { name: '3xx', tone: 'accent' },
  { name: '4xx', tone: 'client' },
  { name: '5xx', tone: 'failed' },
  { name: 'failed', tone: 'dead' },
  { name: 'refused', tone: 'refused' },
];

export function outcomeTone({ verdict, status }: Pick<PageRecord, 'verdict' | 'status'>): Tone {
  if (verdict === 'refused') return 'refused';
  // A body that could not be decoded came with 200, and is no success.
  if (status === undefined || (verdict === 'failed' && !isErrorStatus(status))) return 'dead';
  return toneOfStatus(status);
}
