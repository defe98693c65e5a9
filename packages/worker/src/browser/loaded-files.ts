import type { BrowserAnswer } from '../egress/browser-proxy.ts';

/** What pages of a crawl have loaded, so that a script of every page is fetched once. */
export interface LoadedFiles {
  find(url: string, nowMs: number): BrowserAnswer | undefined;
  /** Keeps it where its server allows that. */
  keep(url: string, answer: BrowserAnswer, nowMs: number): void;
}

interface Kept {
  answer: BrowserAnswer;
  untilMs: number;
}

/** How long a file is kept whose server does not say. */
const usualMs = 600_000;
const longestMs = 86_400_000;
const kinds = /^(?:text\/(?:css|javascript)|application\/(?:x-)?javascript|application\/wasm|font\/|image\/)/;

export function createLoadedFiles(maxBytes: number): LoadedFiles {
  const kept = new Map<string, Kept>();
  let bytes = 0;

  function forget(url: string): void {
    bytes -= kept.get(url)?.answer.body.length ?? 0;
    kept.delete(url);
  }

  return {
    find(url, nowMs) {
      const found = kept.get(url);
      if (!found) return undefined;
      if (found.untilMs <= nowMs) {
        forget(url);
        return undefined;
      }
      // The latest used is the last to go.
      kept.delete(url);
      kept.set(url, found);
      return found.answer;
    },
    keep(url, answer, nowMs) {
      const ms = keepsForMs(answer);
      if (ms <= 0 || answer.body.length > maxBytes / 8) return;
      forget(url);
      kept.set(url, { answer, untilMs: nowMs + ms });
      bytes += answer.body.length;
      for (const oldest of kept.keys()) {
        if (bytes <= maxBytes) break;
        forget(oldest);
      }
    },
  };
}

function keepsForMs({ status, headers, cut }: BrowserAnswer): number {
  const value = (wanted: string) =>
    headers
      .filter(([name]) => name.toLowerCase() === wanted)
      .map(([, text]) => text)
      .join(', ')
      .toLowerCase();
  if (status !== 200 || cut || value('set-cookie') !== '' || /cookie|\*/.test(value('vary'))) return 0;
  const rules = value('cache-control');
  if (/no-store|no-cache|private/.test(rules)) return 0;
  const age = /(?:s-maxage|max-age)=(\d+)/.exec(rules)?.[1];
  if (age !== undefined) return Math.min(Number(age) * 1_000, longestMs);
  return kinds.test(value('content-type')) ? usualMs : 0;
}
