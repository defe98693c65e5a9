import { type CrawlEvent, type CrawlSnapshot, type EventsMissed, isStorageTrouble } from '@webfarer/protocol';
import { type BannerGate, createBannerGate } from './banner-gate.ts';
import type { CliContext } from '../context/context.ts';
import type { CrawlRun, Summary } from '../crawl/crawl-run.ts';
import { plural } from '../terminal/format.ts';
import { createNoteLimiter, type Note, noteFor } from '../view/notes.ts';
import { clean } from '../terminal/text.ts';
import { climbStopLadder, type StopLadder } from './stop-ladder.ts';
import type { View } from '../view/view.ts';
import { dueWords } from '../view/wording.ts';

/** How long the banner waits for the site's first answer. */
const bannerPatienceMs = 5000;

export interface SessionOptions {
  context: CliContext;
  run: CrawlRun;
  view: View;
  /** What further keys say. */
  keys: Readonly<Record<string, () => string[]>>;
  /** The banner, from what is known of the site by then. */
  banner: (facts: ReturnType<BannerGate['facts']>) => string[];
  inScope: Parameters<typeof createBannerGate>[0];
}

export interface SessionEnd {
  summary: Summary;
  /** Still counts the time since a stop was asked for: the caller ends it when nothing is left to do. */
  stopping: StopLadder;
  /** The banner, where the crawl was over before it could be shown. */
  unsaid: string[];
}

/** Watches a crawl from its first event to its end: the view, the notes, the keys and Ctrl-C. */
export async function watchCrawl(options: SessionOptions): Promise<SessionEnd> {
  const { run, view } = options;
  const gate = createBannerGate(options.inScope);
  const ended = new AbortController();
  const state: WatchState = { last: undefined, announced: false, held: [] };
  const stopping = climbStopLadder(options.context, {
    stop() {
      view.sticky(finishing(state.last?.inFlight));
      void run.stop().catch(() => {});
    },
    drop() {
      view.sticky('stopping now');
      void run.stop({ now: true }).catch(() => {});
    },
  });
  state.stopping = stopping;
  const stopKeys = options.context.onKey?.(keyHandler(options, state, stopping.ask));
  const events = pumpEvents(options, gate, state);
  const frames = drawFrames(options, gate, state, ended.signal);
  try {
    const summary = await run;
    await events;
    ended.abort();
    await frames;
    return { summary, stopping, unsaid: state.announced ? [] : options.banner(gate.facts()) };
  } catch (error) {
    stopping.end();
    throw error;
  } finally {
    ended.abort();
    await Promise.allSettled([events, frames]);
    stopKeys?.();
    view.end();
  }
}

interface WatchState {
  last: CrawlSnapshot | undefined;
  announced: boolean;
  /** Notes that wait for the banner. */
  held: Note[];
  stopping?: StopLadder;
}

const writing = 'writing results and report';

async function pumpEvents(
  { context, run, view }: SessionOptions,
  gate: BannerGate,
  state: WatchState,
): Promise<void> {
  const limiter = createNoteLimiter();
  for await (const published of run.follow()) {
    const { event } = published;
    gate.feed(event);
    view.event(published);
    if (view.redraws && isOver(event)) view.sticky(writing);
    // What a stopping worker lets go of is no news.
    if (state.stopping && state.stopping.asked > 0 && event.type === 'crawl-resumed') continue;
    const nowMs = context.clock.now();
    const note = noteFor(event, {
      nowMs,
      done: state.last?.balance.done ?? 0,
      hosts: state.last?.hostsQueued ?? 1,
    });
    for (const passed of note ? limiter.pass(note, nowMs) : []) {
      // The banner comes first, whatever happens before it can be written.
      if (state.announced) view.note(passed);
      else state.held.push(passed);
    }
  }
}

function isOver(event: CrawlEvent | EventsMissed): boolean {
  return event.type === 'crawl-state' && (event.state === 'finished' || event.state === 'limited');
}

async function drawFrames(
  { context, run, view, banner }: SessionOptions,
  gate: BannerGate,
  state: WatchState,
  ended: AbortSignal,
): Promise<void> {
  try {
    await Promise.race([gate.ready, context.clock.sleep(bannerPatienceMs, ended), whenAborted(ended)]);
    if (ended.aborted) return;
    view.print(banner(gate.facts()));
    state.announced = true;
    for (const note of state.held) view.note(note);
    while (!ended.aborted) {
      state.last = await run.snapshot();
      if (ended.aborted) return;
      if (state.stopping?.asked === 1) view.sticky(finishing(state.last.inFlight));
      view.show(state.last);
      await context.clock.sleep(view.everyMs, ended);
    }
  } catch (error) {
    if (!ended.aborted) throw error;
  }
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

function finishing(inFlight: number | undefined): string {
  if (inFlight === 0) return `${writing} (Ctrl-C again to stop now, also safe)`;
  const what = inFlight === undefined ? 'what is in flight' : plural(inFlight, 'request');
  return `finishing ${what} (Ctrl-C again to stop now, also safe)`;
}

function keyHandler({ run, view, keys }: SessionOptions, state: WatchState, interrupt: () => void) {
  return (key: string) => {
    if (key === 'q') interrupt();
    if (key === 'p') void togglePause(run, state);
    for (const text of keys[key]?.() ?? []) view.note({ style: 'plain', text });
    if (key === 'h') for (const text of hostLines(state.last)) view.note({ style: 'plain', text });
  };
}

async function togglePause(run: CrawlRun, state: WatchState): Promise<void> {
  const paused = state.last?.state === 'paused' || state.last?.pause?.cause === 'operator';
  // An unreachable store cannot be told; the view already says so.
  await (paused ? run.resume() : run.pause()).catch(ignoreTrouble);
}

function ignoreTrouble(error: unknown): void {
  if (!isStorageTrouble(error)) throw error;
}

/** Which hosts are next, for who wants to know more than the waiting line says. */
function hostLines(snapshot: CrawlSnapshot | undefined): string[] {
  if (!snapshot || snapshot.waiting.length === 0) return ['no host is waiting'];
  return snapshot.waiting.map(
    (wait) => `${clean(wait.host)}  ${plural(wait.queued, 'URL')} queued  ${dueWords(wait, true)}`,
  );
}
