import type { Clock, PageRecord } from '@webfarer/protocol';

const WINDOW_MS = 10_000;
const SAMPLES = 512;

/** Rates over the last ten seconds and response times of the last few hundred pages. */
export interface Meter {
  count(record: PageRecord, nowMs: number): void;
  perSecond(): number;
  latency(): { p50Ms: number; p95Ms: number } | undefined;
}

export function createMeter(clock: Clock): Meter {
  const startedAtMs = clock.now();
  /** Outcomes per second of the clock, one slot a second, twice the window so that no slot is reused early. */
  const slots = new Float64Array(20);
  const slotSecond = new Float64Array(20);
  const times: number[] = [];
  let next = 0;

  return {
    count(record, nowMs) {
      const second = Math.floor(nowMs / 1_000);
      const slot = second % slots.length;
      if (slotSecond[slot] !== second) {
        slotSecond[slot] = second;
        slots[slot] = 0;
      }
      slots[slot] = (slots[slot] ?? 0) + 1;
      if (record.status !== undefined) {
        times[next] = record.durationMs;
        next = (next + 1) % SAMPLES;
      }
    },
    perSecond() {
      const now = clock.now();
      const since = Math.floor((now - WINDOW_MS) / 1_000);
      let sum = 0;
      for (let i = 0; i < slots.length; i++) {
        if ((slotSecond[i] ?? 0) > since) sum += slots[i] ?? 0;
      }
      const spanMs = Math.min(WINDOW_MS, Math.max(1_000, now - startedAtMs));
      return (sum * 1_000) / spanMs;
    },
    latency() {
      if (times.length === 0) return undefined;
      const sorted = [...times].sort((a, b) => a - b);
      const at = (share: number) =>
        sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
      return { p50Ms: at(0.5), p95Ms: at(0.95) };
    },
  };
}
