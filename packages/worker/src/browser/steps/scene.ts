import type { Locator, Page } from 'playwright-core';
import type { Clock } from '@webfarer/protocol';
import { firstVisible } from './targets.ts';

/** A page on which steps are done. */
export interface Scene {
  page: Page;
  clock: Clock;
  /** Of the time of the page. */
  leftMs(): number;
  /** After something was done: waits until the page is at rest again, or has had so long. False: it never rested. */
  settle(mostMs: number): Promise<boolean>;
  /** The document that stands in place of the page, and how it was asked for; undefined: it is the page. */
  left(): { url: string; method: string } | undefined;
}

/** Why a step could not be done, in words for the person who wrote it. */
export class StepProblem extends Error {}

/** How often it is looked whether something is there. */
const lookMs = 100;

/** Tries until it answers something. Undefined: not within this time. */
export async function until<T>(
  { clock, leftMs }: Scene,
  timeoutMs: number,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const endsAtMs = clock.now() + Math.min(timeoutMs, leftMs());
  for (;;) {
    const found = await look();
    if (found !== undefined || clock.now() >= endsAtMs) return found;
    await clock.sleep(lookMs);
  }
}

/** The element to act on. Throws where it does not appear. */
export async function find(scene: Scene, names: readonly string[], timeoutMs: number): Promise<Locator> {
  const found = await until(scene, timeoutMs, () => firstVisible(scene.page, names));
  if (found === undefined) throw new StepProblem(`no such element can be seen ${within(scene, timeoutMs)}`);
  return found;
}

export function within({ leftMs }: Scene, timeoutMs: number): string {
  return leftMs() <= 0 ? "before the page's time is up" : `within ${timeoutMs} ms`;
}
