import type { HostKey, HostSums } from '@webfarer/protocol';
import { evenSlots, sampleText, slotOf, timeIn, timeLength } from './samples.ts';

/** Hosts whose pages are recorded over time, at most. */
export const mostFollowed = 200;

/** One of the hosts that are recorded. Its place in the list is its place in the samples. */
export interface FollowedHost {
  /** Empty: the place is free. */
  host: HostKey | '';
  /** The slot of its first sample: what an earlier one has at its place belongs to another host. */
  from: number;
  /** Its first page was fetched after the sample before that one: until then it had none. */
  whole: boolean;
  /** Pages done at its last sample, and how many of them a slot brought lately. */
  pages: number;
  rate: number;
}

/** The pages and troubles of hosts over time, as they are shown. */
export interface HostActivity {
  /** In the order of time; `gap`: nobody took samples between the one before and this. */
  samples: { atMs: number; gap: boolean }[];
  /** Values of each sample; null: not recorded. The host with most pages first. */
  hosts: { host: HostKey; pages: (number | null)[]; troubles: (number | null)[] }[];
}

/** Widths in base 36: 60 million pages; 35 troubles in a row stand for more. */
const [pagesWidth, troublesWidth] = [5, 1];
const placeWidth = pagesWidth + troublesWidth;
const unknown = '-'.repeat(placeWidth);

/** One value of each place, without the time, which the store knows. */
export function placesText(
  hosts: readonly FollowedHost[],
  sums: ReadonlyMap<HostKey, Pick<HostSums, 'pages' | 'troubles'>>,
): string {
  return hosts
    .map(({ host }) => {
      const known = host === '' ? undefined : sums.get(host);
      return known ? digits(known.pages, pagesWidth) + digits(known.troubles, troublesWidth) : unknown;
    })
    .join('');
}

export const hostSampleText = (atMs: number, places: string): string => sampleText(atMs, places);

export function rosterText(hosts: readonly FollowedHost[]): string {
  return JSON.stringify(
    hosts.map(({ host, from, whole, pages, rate }) => [
      host,
      from,
      Number(whole),
      pages,
      Math.round(rate * 1_000) / 1_000,
    ]),
  );
}

export function rosterIn(text: string): FollowedHost[] {
  if (text === '') return [];
  return (JSON.parse(text) as [HostKey | '', number, 0 | 1, number, number][]).map(
    ([host, from, whole, pages, rate]) => ({ host, from, whole: whole === 1, pages, rate }),
  );
}

/** When a crawl was over, and from how many slots one is left up to then. */
export const thinnedText = (slot: number, step: number): string => `${slot} ${step}`;

/** What a store keeps of one crawl. */
export interface KeptHosts {
  roster: string;
  samples: readonly string[];
  /** `thinnedText`; empty: it was never over. */
  thinned: string;
}

export const noHosts: KeptHosts = { roster: '', samples: [], thinned: '' };

/** As it was kept, made ready to be shown. */
export function activityIn({ roster, samples, thinned }: KeptHosts): HostActivity {
  const bySlot = new Map(samples.map((text) => [slotOf(timeIn(text)), text]));
  const [upTo = 0, step = 1] = thinned === '' ? [] : thinned.split(' ').map(Number);
  const even = evenSlots([...bySlot.keys()], {
    leastStep: (slot) => (slot < upTo ? step : 1),
    rested: () => 0,
  });
  const kept = even.map(({ slot, gap }) => ({ slot, gap, text: bySlot.get(slot) ?? '' }));
  const hosts = rosterIn(roster).flatMap(({ host, from, whole }, place) => {
    if (host === '') return [];
    const values = kept.map(({ slot, text }) => {
      if (slot < from) return whole ? { pages: 0, troubles: 0 } : undefined;
      return valueAt(text, place);
    });
    return [
      {
        host,
        pages: values.map((value) => value?.pages ?? null),
        troubles: values.map((value) => value?.troubles ?? null),
      },
    ];
  });
  const last = (values: (number | null)[]) => values.findLast((value) => value !== null) ?? 0;
  return {
    samples: kept.map(({ text, gap }) => ({ atMs: timeIn(text), gap })),
    hosts: hosts.toSorted((a, b) => last(b.pages) - last(a.pages) || (a.host < b.host ? -1 : 1)),
  };
}

function valueAt(text: string, place: number): { pages: number; troubles: number } | undefined {
  const at = timeLength + place * placeWidth;
  const value = text.slice(at, at + placeWidth);
  if (value.length < placeWidth || value === unknown) return undefined;
  return {
    pages: Number.parseInt(value.slice(0, pagesWidth), 36),
    troubles: Number.parseInt(value.slice(pagesWidth), 36),
  };
}

function digits(value: number, width: number): string {
  return Math.max(0, Math.min(Math.round(value), 36 ** width - 1))
    .toString(36)
    .padStart(width, '0');
}
