import type { FailedTry, PageRecord } from '@webfarer/protocol';
import { phasesOf, untoldTries, wasRequested } from '@webfarer/protocol/crawl';

const words = { dns: 'DNS', connect: 'connection', tls: 'TLS', answer: 'first byte', body: 'body' } as const;

/** Who fetched a page, what took its time, and the tries before. */
export function fetchedLines(record: PageRecord, foundMs: number | undefined): string[] {
  const { fetched, tries = [] } = record;
  if (!wasRequested(record)) return tries.map(tryLine);
  const untold = untoldTries(record);
  return [
    ...(untold > 0
      ? [`${untold} ${untold === 1 ? 'try' : 'tries'} before ${untold === 1 ? 'is' : 'are'} not recorded`]
      : []),
    ...tries.map(tryLine),
    ...(fetched ? timeLines(record, foundMs) : ['the worker and the times of the request are not recorded']),
  ];
}

function timeLines(record: PageRecord, foundMs: number | undefined): string[] {
  const { fetched = {}, durationMs, startedAtMs } = record;
  const { by, waitedMs, reused } = fetched;
  const queuedMs = foundMs === undefined ? undefined : startedAtMs - (waitedMs ?? 0) - foundMs;
  const waits = [
    ...(queuedMs === undefined ? [] : [`${inMs(queuedMs)} in the queue`]),
    ...(waitedMs === undefined ? [] : [`${inMs(waitedMs)} at the worker`]),
  ];
  const phases = phasesOf(record)?.map(({ name, ms }) => `${words[name]} ${inMs(ms)}`) ?? [];
  const over = reused ? ' over a connection that was open' : '';
  return [
    ...(waits.length === 0 ? [] : [`waited ${waits.join(', then ')}`]),
    `fetched${by === undefined ? '' : ` by ${by}`} in ${inMs(durationMs)}${over}: ${phases.join(', ')}`,
  ];
}

function tryLine({ atMs, tookMs, reason, detail, by }: FailedTry): string {
  const seen = detail === undefined ? '' : ` (${detail})`;
  const took = tookMs === undefined ? '' : ` after ${inMs(tookMs)}`;
  return `tried at ${new Date(atMs).toISOString()} by ${by}, failed${took}: ${reason}${seen}`;
}

const inMs = (ms: number): string => `${Math.round(ms)} ms`;
