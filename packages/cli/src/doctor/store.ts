import { type DatedClock, WebfarerError } from '@webfarer/protocol';
import { redact } from '@webfarer/protocol/url';
import type { Check } from './check.ts';

/** Checks whether a store can keep crawls, and what its settings promise. Changes nothing. */
export async function checkStore(url: string, clock: DatedClock): Promise<Check[]> {
  const { inspectStore } = await import('@webfarer/coordinator/redis');
  try {
    const { kind, versions, findings } = await inspectStore(url, clock);
    return [
      { name: 'store', ok: true, text: `${redact(url)} answers: ${kind}, ${versions.join(' and ')}` },
      { name: 'rights', ok: true, text: 'its user may run every command that crawls need' },
      ...findings.map(({ level, sentence, nodes, mend }) => ({
        name: 'settings',
        ok: level !== 'broken',
        text: `${sentence} (${nodes.join(', ')})`,
        ...(mend === undefined ? {} : { next: mend }),
      })),
    ];
  } catch (error) {
    const next = error instanceof WebfarerError ? error.next : undefined;
    const text = (error as Error).message;
    return [{ name: 'store', ok: false, text, ...(next === undefined ? {} : { next }) }];
  }
}
