import type { StepAction } from '@webfarer/protocol/job';
import { find, type Scene } from './scene.ts';

/** Pages load more a moment after their end was reached: nothing new twice is the end. */
const idleRounds = 2;
/** For the first look at what scrolls. */
const findMs = 10_000;

/** As far as scrolling needs it. */
interface Scrolled {
  scrollTop: number;
  clientHeight: number;
  scrollHeight: number;
  scrollTo(place: { top: number; left: number; behavior: 'instant' }): void;
  getElementsByTagName(name: '*'): { length: number };
}
interface Window {
  document: { scrollingElement: Scrolled | null; documentElement: Scrolled };
  requestAnimationFrame(next: () => void): void;
}

/**
 * Runs in the page: moves down by what is shown at a time, so that everything on the way is seen, to where the end was in the
 * beginning, and answers how much there is. What comes meanwhile is for the next time.
 */
async function moveDown(element: unknown): Promise<string> {
  const { document, requestAnimationFrame: next } = globalThis as unknown as Window;
  const all = (element as Scrolled | null) ?? document.scrollingElement ?? document.documentElement;
  const shown = Math.max(200, all.clientHeight);
  const end = all.scrollHeight;
  for (let i = 0; i < 100 && all.scrollTop + all.clientHeight < end - 1; i++) {
    all.scrollTop += shown;
    await new Promise<void>((resolve) => next(() => resolve()));
  }
  all.scrollTop = end - all.clientHeight;
  return `${all.scrollHeight} ${all.getElementsByTagName('*').length}`;
}

/** Scrolls to the end as long as more comes. A limit, of batches or of time, ends it and is no failure. */
export async function scrollToEnd(
  scene: Scene,
  { in: inside, most }: Extract<StepAction, { kind: 'scroll' }>,
  ms: number,
): Promise<void> {
  const { page, clock } = scene;
  const endsAtMs = clock.now() + ms;
  const element = inside && (await (await find(scene, inside, Math.min(ms, findMs))).elementHandle());
  let idle = 0;
  let before = '';
  for (let round = 0; round < most && idle < idleRounds && clock.now() < endsAtMs; round++) {
    const size = await page.evaluate(moveDown, element ?? null);
    idle = size === before ? idle + 1 : 0;
    before = size;
    await scene.settle(endsAtMs - clock.now());
    if (scene.left()) return;
  }
}

/** Runs in the page. Goes there at once, whatever the page says of smooth scrolling: the next step may need it. */
function moveTo({ element, top, left }: { element: unknown; top: number; left: number }): void {
  const { document } = globalThis as unknown as Window;
  const all = (element as Scrolled | null) ?? document.scrollingElement ?? document.documentElement;
  all.scrollTo({ top, left, behavior: 'instant' });
}

/** Scrolls once, as far as there is something to see. */
export async function scrollTo(
  scene: Scene,
  { in: inside, top, left }: Extract<StepAction, { kind: 'scrollTo' }>,
  ms: number,
): Promise<void> {
  const element = inside ? await (await find(scene, inside, ms)).elementHandle() : null;
  await scene.page.evaluate(moveTo, { element, top, left });
}
