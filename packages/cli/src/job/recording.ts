import type { JobInput } from '@webfarer/protocol';
import { targetTrouble } from '@webfarer/protocol/job';
import { namesPassword } from '@webfarer/worker/forms/words';

/** A step as a job file writes it. */
export type WrittenStep = NonNullable<NonNullable<JobInput['steps']>[number]['do']>[number];

/** What the Recorder of Chrome's DevTools exported, as steps of a job. */
export type Translated =
  /** `page`: the address that the recording was made on; undefined where it does not say. */
  { ok: true; page: string | undefined; steps: WrittenStep[] } | { ok: false; problems: string[] };

/** A step of a recording, as far as steps of a job have a place for it. Nothing in it is known to be right. */
interface Recorded {
  type?: unknown;
  timeout?: unknown;
  target?: unknown;
  frame?: unknown;
  selectors?: unknown;
  button?: unknown;
  value?: unknown;
  fromEnv?: unknown;
  key?: unknown;
  url?: unknown;
  x?: unknown;
  y?: unknown;
  expression?: unknown;
  operator?: unknown;
  count?: unknown;
  visible?: unknown;
  attributes?: unknown;
  properties?: unknown;
}

/** Why a step has no counterpart, and what to do. */
class Untranslatable extends Error {}

/** Of the ways to name an element, and of the length of each: what a job file takes. */
const mostNames = 20;
const maxNameChars = 1_000;

export function translateRecording(text: string): Translated {
  const flow = parsed(text);
  if (flow === undefined)
    return { ok: false, problems: ['it is not JSON; export it from the Recorder as JSON'] };
  const { steps: recorded, timeout } = flow;
  if (!Array.isArray(recorded)) return { ok: false, problems: ['it has no list of steps'] };
  const state: State = { page: undefined, steps: [], closed: false, held: [] };
  const problems: string[] = [];
  for (const [i, step] of (recorded as unknown[]).entries()) {
    const fields: Recorded = typeof step === 'object' && step !== null ? step : {};
    try {
      take(state, { timeout, ...fields });
    } catch (error) {
      if (!(error instanceof Untranslatable)) throw error;
      problems.push(`step ${i + 1} (${shownType(fields.type)}) ${error.message}`);
    }
  }
  if (problems.length > 0) return { ok: false, problems };
  if (state.steps.length === 0) return { ok: false, problems: ['no step of it acts on a page'] };
  return { ok: true, page: state.page, steps: state.steps };
}

function parsed(text: string): { steps?: unknown; timeout?: unknown } | undefined {
  try {
    return Object(JSON.parse(text)) as { steps?: unknown };
  } catch {
    return undefined;
  }
}

function shownType(type: unknown): string {
  return typeof type === 'string' ? type.slice(0, 50) : 'no type';
}

/** A recording that has been translated up to some step. */
interface State {
  page: string | undefined;
  steps: WrittenStep[];
  closed: boolean;
  /** Keys such as Control that are down. */
  held: string[];
}

function take(state: State, step: Recorded): void {
  const { type } = step;
  if (type === 'keyUp') return release(state, step);
  // The Recorder drops the release of a key that was down while text was typed.
  if (type !== 'keyDown') state.held = [];
  // The crawl has a window and a network of its own.
  if (type === 'setViewport' || type === 'emulateNetworkConditions') return;
  if (type === 'close') return void (state.closed = true);
  if (type === 'navigate') return navigate(state, step);
  if (state.closed)
    throw new Untranslatable('follows the close of the page: delete the close step or this one');
  refuseElsewhere(step);
  const done = type === 'keyDown' ? press(state, step) : toStep(step);
  if (done) state.steps.push({ ...done, ...timeoutOf(step) });
}

function navigate(state: State, { url }: Recorded): void {
  if (state.steps.length > 0)
    throw new Untranslatable(
      `leads to ${String(url).slice(0, 200)}, but a rule acts on one page: keep the steps from here on in a recording of their own, in a rule for that page`,
    );
  if (typeof url === 'string' && /^https?:/i.test(url)) state.page = url;
}

/** Steps act in the page itself. */
function refuseElsewhere({ target, frame }: Recorded): void {
  if (Array.isArray(frame) && frame.length > 0)
    throw new Untranslatable(
      'acts in a frame, which steps cannot reach: record it on the page that the frame shows, or delete the step',
    );
  if (target !== undefined && target !== 'main')
    throw new Untranslatable(
      'acts in another window, and the crawl closes those: record it on a page of its own, or delete the step',
    );
}

function toStep(step: Recorded): WrittenStep {
  switch (step.type) {
    case 'click':
      if (step.button !== undefined && step.button !== 'primary')
        throw new Untranslatable('clicks with another button than the first: delete the step');
      return { click: namesOf(step) };
    case 'change':
      return change(step);
    case 'scroll':
      return scroll(step);
    case 'waitForElement':
      return waitForElement(step);
    case 'waitForExpression':
      if (typeof step.expression !== 'string') throw new Untranslatable('has no expression');
      return { waitFor: { expression: step.expression } };
    case 'hover':
      throw new Untranslatable(
        'has no counterpart: record a click in its place if that opens the same, or do it in inBrowser (docs/library.md)',
      );
    case 'doubleClick':
      throw new Untranslatable(
        'has no counterpart: record one click if that is enough, or do it in inBrowser (docs/library.md)',
      );
    case 'customStep':
      throw new Untranslatable('belongs to an extension of the Recorder: delete it');
    default:
      throw new Untranslatable('is not a step that Webfarer knows: delete it');
  }
}

/** Whether the field takes text, a date or one of several options is seen at the field. */
function change(step: Recorded): WrittenStep {
  const into = namesOf(step);
  const { value, fromEnv, selectors } = step;
  if (typeof fromEnv === 'string') return { type: { into, fromEnv } };
  if (typeof value !== 'string') throw new Untranslatable('has no value');
  const secret = allTexts(selectors).find(namesPassword);
  if (secret !== undefined)
    throw new Untranslatable(
      `fills in a password (${secret.slice(0, 100)}), which a job must not hold: in the recording, replace its "value" by "fromEnv": "WEBFARER_TYPE_PASSWORD" and set that variable where the crawl runs`,
    );
  return { type: { into, text: value } };
}

function scroll(step: Recorded): WrittenStep {
  const place = { top: pixels(step.y), left: pixels(step.x) };
  return { scroll: step.selectors === undefined ? place : { in: namesOf(step), ...place } };
}

function pixels(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.round(value) : 0;
}

/** `waitFor` is for one element that can be seen. */
function waitForElement(step: Recorded): WrittenStep {
  const { operator = '==', count = 1, visible = true, attributes, properties } = step;
  const names = namesOf(step);
  const isOne = count === 1 && operator !== '<=' && visible === true;
  if (isOne && attributes === undefined && properties === undefined) return { waitFor: names };
  const css = names.find((name) => !/^(?:text|aria|xpath|pierce)\//.test(name)) ?? '.item';
  throw new Untranslatable(
    `waits for more than one visible element: record waitForExpression in its place, such as document.querySelectorAll('${css}').length ${String(operator)} ${String(count)}`,
  );
}

function timeoutOf({ timeout }: Recorded): { timeout?: string } {
  return typeof timeout === 'number' && timeout > 0 ? { timeout: `${Math.ceil(timeout)}ms` } : {};
}

/** The ways to find the element that a job file knows, in the order of the recording. */
function namesOf({ selectors }: Recorded): string[] {
  const names = (Array.isArray(selectors) ? (selectors as unknown[]) : []).flatMap(nameOf);
  const [first] = names;
  if (first === undefined)
    throw new Untranslatable('names no element in a way that Webfarer knows: give it a CSS selector');
  return [...new Set(names)].slice(0, mostNames);
}

/** Several selectors in a row lead through the shadow trees of their elements, which CSS selectors here look into. */
function nameOf(selector: unknown): string[] {
  const parts = allTexts(selector);
  const isCss = (part: string): boolean => !/^(?:text|aria|xpath|pierce)\//.test(part);
  if (parts.length > 1 && !parts.every(isCss)) return [];
  const name =
    parts.length > 1 ? parts.map((part) => (part.includes(',') ? `:is(${part})` : part)).join(' ') : parts[0];
  const isFit = name !== undefined && name.length <= maxNameChars && targetTrouble(name) === undefined;
  return isFit ? [name] : [];
}

function allTexts(value: unknown): string[] {
  return [value].flat(2).filter((each): each is string => typeof each === 'string');
}

const modifiers = new Set(['Shift', 'Control', 'Alt', 'Meta']);
/** As the keyboard of the browser calls them. */
const otherNames: Readonly<Record<string, string>> = { ' ': 'Space', '\r': 'Enter', '\n': 'Enter' };

function keyOf({ key }: Recorded): string {
  if (typeof key !== 'string' || key === '') throw new Untranslatable('has no key');
  return otherNames[key] ?? key;
}

const modifierIn = (key: string): string | undefined => {
  const name = key.replace(/(?:Left|Right)$/, '');
  return modifiers.has(name) ? name : undefined;
};

function press(state: State, step: Recorded): WrittenStep | undefined {
  const key = keyOf(step);
  const modifier = modifierIn(key);
  if (modifier === undefined) return { press: [...state.held, key].join('+') };
  if (!state.held.includes(modifier)) state.held.push(modifier);
  return undefined;
}

function release(state: State, step: Recorded): void {
  const modifier = modifierIn(keyOf(step));
  state.held = state.held.filter((held) => held !== modifier);
}
