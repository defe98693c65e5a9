import type { Balance } from '@webfarer/protocol';

/** What is sampled: the sums of a crawl. */
export interface Counts extends Omit<Balance, 'known'> {
  bytes: number;
  items: number;
}

/** The counts at a moment. */
export interface CountSample extends Counts {
  atMs: number;
  /** Nobody took samples between the one before and this. */
  gap: boolean;
}

/** One sample is kept for each slot. */
export const slotMs = 20_000;
/**
 * Samples of a level. Level 0 has every second slot, level 1 every fourth, and so on, counted from the first sample: so
 * the latest 48 slots (16 min) have all, the 48 before them every second, and a year takes 21 levels.
 */
export const levelSize = 24;

/** Widths in base 36: 2.8 × 10^12 URLs, 10^17 bytes. All samples are of one length, so that a level is cut without reading it. */
const fields = [
  ['queued', 8],
  ['leased', 8],
  ['done', 8],
  ['failed', 8],
  ['refused', 8],
  ['items', 8],
  ['bytes', 11],
] as const satisfies [keyof Counts, number][];
/** Milliseconds since 1970, in decimal: the engine of a store writes them too. */
export const timeLength = 13;
export const sampleLength = timeLength + fields.reduce((sum, [, width]) => sum + width, 0);

/** Without its time, which the store knows. */
export function countsText(counts: Counts): string {
  return fields
    .map(([name, width]) => {
      const most = 36 ** width - 1;
      return Math.max(0, Math.min(Math.round(counts[name]), most))
        .toString(36)
        .padStart(width, '0');
    })
    .join('');
}

export function sampleText(atMs: number, counts: string): string {
  return `${String(Math.floor(atMs)).padStart(timeLength, '0')}${counts}`;
}

/** Times in which a crawl rested: while nothing happens to it, nobody takes samples, and its counts are those of the last one. */
export const restLength = 2 * timeLength;
/** Rests that are kept of a crawl; consecutive ones count as one. */
export const mostRests = 48;

export function restText(fromMs: number, toMs: number): string {
  return [fromMs, toMs].map((ms) => String(Math.floor(ms)).padStart(timeLength, '0')).join('');
}

/** With one more, which continues the last one where no slot lies between them. */
export function withRest(kept: string, fromMs: number, toMs: number): string {
  const last = kept.slice(-restLength);
  const isNext = last !== '' && fromMs - timeIn(last.slice(timeLength)) <= slotMs;
  const text = restText(isNext ? timeIn(last) : fromMs, toMs);
  return `${isNext ? kept.slice(0, -restLength) : kept}${text}`.slice(-mostRests * restLength);
}

export const timeIn = (text: string): number => Number(text.slice(0, timeLength));
export const slotOf = (atMs: number): number => Math.floor(atMs / slotMs);

/** How often a slot can be halved: its level. Of the first slot, which is 0: undefined. */
export function levelOf(slot: number): number | undefined {
  if (slot === 0) return undefined;
  let level = 0;
  for (let rest = slot; rest % 2 === 0; rest /= 2) level++;
  return level;
}

/** What is left of them in even steps, the oldest first, and where the gaps are. */
export function samplesIn(first: string, all: string, rests = ''): CountSample[] {
  if (first === '') return [];
  const start = slotOf(timeIn(first));
  const bySlot = new Map<number, CountSample>();
  for (let at = 0; at + sampleLength <= all.length; at += sampleLength) {
    const sample = readSample(all.slice(at, at + sampleLength));
    bySlot.set(slotOf(sample.atMs) - start, sample);
  }
  const rested = restsIn(rests);
  const even = evenSlots([...bySlot.keys()], {
    leastStep: () => 1,
    rested: (from, to) => rested(from + start, to + start),
  });
  return even.flatMap(({ slot, gap }) => {
    const sample = bySlot.get(slot);
    return sample ? [{ ...sample, gap }] : [];
  });
}

/** For how many of the slots between two it rested. */
function restsIn(text: string): (from: number, to: number) => number {
  const rests: { from: number; to: number }[] = [];
  for (let at = 0; at + restLength <= text.length; at += restLength)
    rests.push({
      from: slotOf(timeIn(text.slice(at))),
      to: slotOf(timeIn(text.slice(at + timeLength))),
    });
  return (from, to) =>
    rests.reduce((sum, rest) => sum + Math.max(0, Math.min(to, rest.to) - Math.max(from, rest.from)), 0);
}

export interface EvenSlotsOptions {
  /** Fewer were left from there on. */
  leastStep: (slot: number) => number;
  /** For how many of the slots between two nothing happened, so that none was taken. */
  rested: (from: number, to: number) => number;
}

/** Those of the slots that are in even steps, or have no others near them, in order, and where the gaps are. */
export function evenSlots(
  slots: readonly number[],
  { leastStep, rested }: EvenSlotsOptions,
): { slot: number; gap: boolean }[] {
  const sorted = slots.toSorted((a, b) => a - b);
  const latest = sorted.at(-1) ?? 0;
  // After a pause a level reaches farther back than it has to, with samples closer together than those around them.
  const even = sorted.filter((slot, n) => {
    const step = stepAt(latest - slot);
    const isAlone = (other: number | undefined) => other !== undefined && Math.abs(slot - other) > 2 * step;
    return (
      slot === 0 || slot === latest || slot % step === 0 || isAlone(sorted[n - 1]) || isAlone(sorted[n + 1])
    );
  });
  return even.map((slot, n) => {
    const before = even[n - 1];
    // One that is missing may have come a moment too late for its slot.
    const usual = before === undefined ? 1 : Math.max(stepAt(latest - before), leastStep(before));
    return { slot, gap: before !== undefined && slot - before - rested(before, slot) > 2 * usual };
  });
}

/** From how many slots one is left, at this age in slots. */
export function stepAt(age: number): number {
  let step = 1;
  while (age >= 2 * levelSize * step) step *= 2;
  return step;
}

function readSample(text: string): CountSample {
  let at = timeLength;
  const counts = Object.fromEntries(
    fields.map(([name, width]) => {
      at += width;
      return [name, Number.parseInt(text.slice(at - width, at), 36)];
    }),
  ) as unknown as Counts;
  return { atMs: timeIn(text), ...counts, gap: false };
}
