import type { PageRecord } from './record.ts';

/** Parts of a request in their order: looking up the name, connecting, TLS, until the first byte, until the last one. */
export const phaseNames = ['dns', 'connect', 'tls', 'answer', 'body'] as const;
export type PhaseName = (typeof phaseNames)[number];

export interface Phase {
  name: PhaseName;
  /** From the start of the request. */
  fromMs: number;
  ms: number;
}

type Timed = Pick<PageRecord, 'durationMs' | 'firstByteMs' | 'fetched'>;

/**
 * What a request spent its time on: parts that follow each other and add up to its duration, whatever was rounded.
 * Undefined where that was not recorded.
 */
export function phasesOf({ durationMs, firstByteMs, fetched }: Timed): Phase[] | undefined {
  if (!fetched) return undefined;
  const untilAnswer = Math.min(firstByteMs ?? durationMs, durationMs);
  const phases: Phase[] = [];
  let at = 0;
  const add = (name: PhaseName, ms: number, untilMs: number): void => {
    const own = Math.max(0, Math.min(ms, untilMs - at));
    phases.push({ name, fromMs: at, ms: own });
    at += own;
  };
  if (fetched.dnsMs !== undefined) add('dns', fetched.dnsMs, untilAnswer);
  if (fetched.connectMs !== undefined) add('connect', fetched.connectMs, untilAnswer);
  if (fetched.tlsMs !== undefined) add('tls', fetched.tlsMs, untilAnswer);
  add('answer', untilAnswer, untilAnswer);
  if (firstByteMs !== undefined) add('body', durationMs, durationMs);
  return phases;
}

/** Whether a request was made for it; one that was refused by a rule has no times. */
export function wasRequested({ verdict, status, durationMs }: PageRecord): boolean {
  return status !== undefined || (verdict === 'failed' && durationMs > 0);
}

/** Tries before the last one of which nothing is known. */
export function untoldTries({ attempts, tries = [] }: Pick<PageRecord, 'attempts' | 'tries'>): number {
  return Math.max(0, attempts - 1 - tries.length);
}
