import type { Locator } from 'playwright-core';
import { expandAll } from './expand.ts';
import { scrollTo, scrollToEnd } from './scroll.ts';
import { find, type Scene, StepProblem, until, within } from './scene.ts';
import type { ReadyStep, TypeAction } from './step.ts';
import { firstVisible } from './targets.ts';

type Action = ReadyStep['action'];
type Of<Kind extends Action['kind']> = Extract<Action, { kind: Kind }>;

/** For the page to rest after something was done to it, where it never does. */
export const settleMs = 3_000;

/** Does one step within its time. Throws `StepProblem` where that cannot be done. */
export async function act(scene: Scene, { action, timeoutMs }: ReadyStep): Promise<void> {
  const ms = Math.max(0, Math.min(timeoutMs ?? Number.POSITIVE_INFINITY, scene.leftMs()));
  switch (action.kind) {
    case 'wait':
      return await wait(scene, action, ms);
    case 'click':
      return await click(scene, action, ms);
    case 'type':
      return await type(scene, action, ms);
    case 'press':
      await scene.page.keyboard.press(action.key);
      break;
    case 'select':
      await select(await find(scene, action.in, ms), action.value, leftOf(scene, ms));
      break;
    case 'scroll':
      return await scrollToEnd(scene, action, ms);
    case 'scrollTo':
      await scrollTo(scene, action, ms);
      break;
    case 'expand':
      return await expandAll(scene, action, ms);
    case 'dismiss':
      return await dismiss(scene, action, ms);
  }
  await scene.settle(settleMs);
}

/** Of the time of a step, as far as the page has it. An action of the browser takes 0 for ever. */
function leftOf({ leftMs }: Scene, ms: number): { timeout: number } {
  return { timeout: Math.max(1, Math.min(ms, leftMs())) };
}

async function wait(scene: Scene, { for: what }: Of<'wait'>, ms: number): Promise<void> {
  const { page } = scene;
  if ('quiet' in what) {
    if (!(await scene.settle(ms))) throw new StepProblem(`the page does not rest ${within(scene, ms)}`);
    return;
  }
  if ('element' in what) return void (await find(scene, what.element, ms));
  if ('text' in what) {
    const shown = await until(scene, ms, () => firstVisible(page, [`text/${what.text}`]));
    if (!shown) throw new StepProblem(`the page does not show this text ${within(scene, ms)}`);
    return;
  }
  await page.waitForFunction(what.expression, undefined, leftOf(scene, ms));
}

async function click(scene: Scene, { on, times }: Of<'click'>, ms: number): Promise<void> {
  const endsAtMs = scene.clock.now() + ms;
  for (let done = 0; done < times; done++) {
    const leftMs = endsAtMs - scene.clock.now();
    // A button that loads more is gone when there is no more.
    const found = done === 0 ? await find(scene, on, ms) : await firstVisible(scene.page, on);
    if (!found || (done > 0 && leftMs <= 0)) return;
    await found.click(leftOf(scene, leftMs));
    await scene.settle(settleMs);
    if (scene.left()) return;
  }
}

/** What a person types key by key; other fields, such as dates, are given their value. */
const typeable = new Set(['text', 'search', 'url', 'tel', 'email', 'password', 'number', 'textarea']);

async function type(scene: Scene, { into, text }: TypeAction, ms: number): Promise<void> {
  const field = await find(scene, into, ms);
  const time = leftOf(scene, ms);
  const kind = await field.evaluate(kindOf, undefined, time);
  if (kind.startsWith('select')) await select(field, text, time);
  else if (typeable.has(kind)) {
    await field.clear(time);
    await field.pressSequentially(text, time);
    await field.dispatchEvent('change', undefined, time);
  } else await field.fill(text, time);
  await scene.settle(settleMs);
}

/** Runs in the page. */
function kindOf(field: object): string {
  return 'type' in field ? String(field.type) : '';
}

async function select(field: Locator, value: string, time: { timeout: number }): Promise<void> {
  await field.selectOption(value, time);
}

/** Banners do not always show, so none is no failure. */
async function dismiss(scene: Scene, { any }: Of<'dismiss'>, ms: number): Promise<void> {
  for (const name of any) {
    const found = await firstVisible(scene.page, [name]);
    if (!found) continue;
    await found.click(leftOf(scene, ms));
    await scene.settle(settleMs);
  }
}
