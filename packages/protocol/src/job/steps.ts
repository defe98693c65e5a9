import { z } from 'zod';
import type { PageStep, StepAction, StepRule } from './job.ts';
import { targetTrouble } from './selector.ts';
import { duration, urlPattern } from './values.ts';

/** Rules of a job, steps of a rule, patterns of a rule and ways to name an element. */
const mostRules = 20;
const mostSteps = 100;
const mostPatterns = 100;
const mostTargets = 20;
const maxTargetChars = 1_000;
const maxTextChars = 10_000;
const maxPathChars = 1_000;
/** For a step that waits for one thing. Those that repeat themselves have the time of the page. */
const usualMs = 10_000;
const usualRounds = 50;
const mostRounds = 1_000;
/** More than a browser lays out. */
const mostPixels = 100_000_000;

const place = z
  .string()
  .min(1)
  .max(maxTargetChars)
  .superRefine((text, context) => {
    const trouble = targetTrouble(text);
    if (trouble !== undefined) context.addIssue({ code: 'custom', message: trouble });
  });

const targetError = "expected a CSS selector, text/…, aria/… or xpath/…, or a list of these; quote '#id'";
const target = z.union([place, z.array(place).min(1).max(mostTargets)], { error: targetError });

const rounds = z.int().min(1).max(mostRounds);
const pixels = z.number().min(0).max(mostPixels);

const waitFor = z.union(
  [
    z.literal('quiet'),
    target,
    z.strictObject({ text: z.string().min(1).max(maxTextChars).describe('Text that the page shows') }),
    z.strictObject({
      expression: z
        .string()
        .min(1)
        .max(maxTextChars)
        .describe('JavaScript that runs in the page until it yields something true'),
    }),
  ],
  { error: `quiet, { text: … }, { expression: … }, or an element: ${targetError}` },
);

const click = z.union(
  [
    target,
    z.strictObject({
      on: target.describe('What to click'),
      times: rounds.prefault(1).describe('As often as it is there, up to this'),
    }),
  ],
  { error: targetError },
);

const type = z
  .strictObject({
    into: target.describe('The field'),
    text: z.string().max(maxTextChars).optional().describe('What to type'),
    fromEnv: z
      .string()
      .regex(/^WEBFARER_TYPE_\w{1,100}$/, {
        error: 'expected the name of an environment variable that begins with WEBFARER_TYPE_',
      })
      .optional()
      .describe('The environment variable of the worker that holds it, WEBFARER_TYPE_…; never stored'),
  })
  .refine(({ text, fromEnv }) => (text === undefined) !== (fromEnv === undefined), {
    error: 'type has exactly one of text, fromEnv',
  });

const select = z.strictObject({
  in: target.describe('The select element'),
  value: z.string().max(maxTextChars).describe('The value of an option, or the text it shows'),
});

const scroll = z.union(
  [
    z.literal('end'),
    z
      .strictObject({
        in: target.optional().describe('The element that scrolls; the page itself when absent'),
        most: rounds.optional().describe(`Batches, at most: ${usualRounds}`),
        top: pixels.optional().describe('Scroll once, to so many pixels from the top'),
        left: pixels.optional().describe('The same from the left'),
      })
      .refine(({ most, top, left }) => most === undefined || (top === undefined && left === undefined), {
        error: 'scroll has either most, to reach the end, or top and left, to reach a place',
      }),
  ],
  { error: 'scroll is end, { in: …, most: … } or { in: …, top: … }' },
);

const expand = z.union(
  [
    target,
    z.strictObject({
      all: target.describe('What to click, each once'),
      most: rounds.prefault(usualRounds).describe('Clicks, at most'),
    }),
  ],
  { error: targetError },
);

const actions = {
  waitFor: waitFor
    .optional()
    .describe('Wait for an element, for { text: … }, for { expression: … }, or until the page is quiet'),
  click: click.optional().describe('Click an element; { on, times } for a button that loads more each time'),
  type: type.optional().describe('Type text into a field'),
  press: z
    .string()
    .regex(/^\S{1,50}$/, { error: 'expected a key such as Enter, ArrowDown or Control+a' })
    .optional()
    .describe('Press a key: Enter, Tab, ArrowDown, Control+a'),
  select: select.optional().describe('Choose an option of a select element'),
  scroll: scroll.optional().describe('Scroll to the end, again as long as that brings more; or to a place'),
  expand: expand.optional().describe('Click every element that fits, also those that appear by it'),
  dismiss: target.optional().describe('Click what fits of these, such as buttons of cookie banners, if any'),
};
const actionNames = Object.keys(actions) as (keyof typeof actions)[];

const step = z
  .strictObject({
    ...actions,
    timeout: duration
      .optional()
      .describe('For this step: 10s; scroll, expand and repeated clicks have the time of the page'),
    optional: z
      .boolean()
      .prefault(false)
      .describe('The page is read also where this fails; otherwise it is failed(step-failed)'),
  })
  .refine((one) => actionNames.filter((name) => one[name] !== undefined).length === 1, {
    error: `a step has exactly one of ${actionNames.join(', ')}`,
  });

const rule = z
  .strictObject({
    pages: z
      .union([urlPattern, z.array(urlPattern).min(1).max(mostPatterns)], {
        error: "expected a glob such as '/list/**', { regex: '…' }, or a list of these",
      })
      .optional()
      .describe('The pages this rule is for; without it every HTML page'),
    do: z.array(step).min(1).max(mostSteps).optional().describe('The steps, in their order'),
    recording: z
      .string()
      .min(1)
      .max(maxPathChars)
      .optional()
      .describe(
        "In place of do, in job files and programs: a recording of Chrome's DevTools Recorder, as JSON",
      ),
  })
  .superRefine(({ do: steps, recording }, context) => {
    if (steps === undefined && recording === undefined)
      context.addIssue({ code: 'custom', message: 'a rule needs do: with its steps' });
    if (recording !== undefined)
      context.addIssue({ code: 'custom', path: ['recording'], message: recordingTrouble(steps) });
  });

/** Recordings are files: where a job is read from one, they have become steps before the job is checked. */
function recordingTrouble(steps: unknown): string {
  if (steps !== undefined) return 'a rule has either do or recording';
  return 'a recording is a file beside a job file: send the job with webfarer start, or write its steps under do';
}

export const stepRules = z.array(rule).max(mostRules);
export type StepRulesInput = z.input<typeof stepRules>;
type CheckedRule = z.output<typeof rule>;
type CheckedStep = NonNullable<CheckedRule['do']>[number];

/** The rules as workers read them. */
export function toSteps(rules: readonly CheckedRule[]): StepRule[] {
  return rules.map(({ pages, do: steps = [] }, r) => ({
    ...(pages === undefined ? {} : { pages: [pages].flat() }),
    steps: steps.map((one, s) => toStep(one, `steps[${r}].do[${s}]`)),
  }));
}

function toStep(written: CheckedStep, at: string): PageStep {
  const action = toAction(written);
  const repeats = action.kind === 'scroll' || action.kind === 'expand';
  const isMany = repeats || (action.kind === 'click' && action.times > 1);
  const timeoutMs = written.timeout ?? (isMany ? undefined : usualMs);
  const { optional } = written;
  return { at, action, optional, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
}

function toAction(written: CheckedStep): StepAction {
  const { waitFor: awaited, click: clicked, type: typed, press, select: chosen } = written;
  const { scroll: scrolled, expand: expanded, dismiss } = written;
  if (awaited !== undefined) return toWait(awaited);
  if (clicked !== undefined) {
    return isObject(clicked)
      ? { kind: 'click', on: [clicked.on].flat(), times: clicked.times }
      : { kind: 'click', on: [clicked].flat(), times: 1 };
  }
  if (typed !== undefined) {
    const { into, text = '', fromEnv } = typed;
    return { kind: 'type', into: [into].flat(), from: fromEnv === undefined ? { text } : { env: fromEnv } };
  }
  if (press !== undefined) return { kind: 'press', key: press };
  if (chosen !== undefined) return { kind: 'select', in: [chosen.in].flat(), value: chosen.value };
  if (scrolled !== undefined) {
    if (scrolled === 'end') return { kind: 'scroll', most: usualRounds };
    const { most = usualRounds, top, left } = scrolled;
    const inside = scrolled.in === undefined ? {} : { in: [scrolled.in].flat() };
    if (top !== undefined || left !== undefined)
      return { kind: 'scrollTo', top: top ?? 0, left: left ?? 0, ...inside };
    return { kind: 'scroll', most, ...inside };
  }
  if (expanded !== undefined) {
    return isObject(expanded)
      ? { kind: 'expand', all: [expanded.all].flat(), most: expanded.most }
      : { kind: 'expand', all: [expanded].flat(), most: usualRounds };
  }
  return { kind: 'dismiss', any: [dismiss ?? []].flat() };
}

function toWait(awaited: NonNullable<CheckedStep['waitFor']>): StepAction {
  if (awaited === 'quiet') return { kind: 'wait', for: { quiet: true } };
  if (isObject(awaited)) return { kind: 'wait', for: awaited };
  return { kind: 'wait', for: { element: [awaited].flat() } };
}

function isObject<T>(value: T): value is Exclude<T, string | string[]> & object {
  return typeof value === 'object' && !Array.isArray(value);
}
