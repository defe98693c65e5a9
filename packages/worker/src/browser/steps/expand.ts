import type { ElementHandle } from 'playwright-core';
import type { StepAction } from '@webfarer/protocol/job';
import type { Scene } from './scene.ts';
import { locate } from './targets.ts';

/** For one click; a button that is covered does not become free by waiting. */
const clickMs = 5_000;
const settleMs = 3_000;

/** Runs in the page: whether the element was not clicked before. It is a note on the element that its HTML does not show. */
function markNew(element: object): boolean {
  const note = Symbol.for('webfarer-expanded');
  if (note in element) return false;
  Object.defineProperty(element, note, { value: true });
  return true;
}

/**
 * Clicks everything that fits and can be seen, each once: a button that has become "less" would undo it. What appears by
 * it counts too. A limit, of clicks or of time, ends it and is no failure.
 */
export async function expandAll(
  scene: Scene,
  { all, most }: Extract<StepAction, { kind: 'expand' }>,
  ms: number,
): Promise<void> {
  const { page, clock } = scene;
  const endsAtMs = clock.now() + ms;
  let clicks = 0;
  for (;;) {
    let news = 0;
    for (const element of await visible()) {
      if (clicks >= most || clock.now() >= endsAtMs) return;
      if (!(await element.isVisible()) || !(await element.evaluate(markNew))) continue;
      await element.click({ timeout: Math.max(1, Math.min(clickMs, endsAtMs - clock.now())) });
      clicks += 1;
      news += 1;
    }
    if (news === 0) return;
    await scene.settle(settleMs);
    if (scene.left()) return;
  }

  async function visible(): Promise<ElementHandle[]> {
    const found = await Promise.all(
      all.map((name) => locate(page, name).filter({ visible: true }).elementHandles()),
    );
    return found.flat();
  }
}
