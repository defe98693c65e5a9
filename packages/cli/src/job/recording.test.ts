import { resolveJob } from '@webfarer/protocol/job';
import { describe, expect, it } from 'vitest';
import { translateRecording } from './recording.ts';

const page = {
  type: 'navigate',
  url: 'https://shop.example/search',
  assertedEvents: [{ type: 'navigation' }],
};
const stage = { type: 'setViewport', width: 1280, height: 720, deviceScaleFactor: 1, isMobile: false };
const translate = (steps: unknown[], more = {}) =>
  translateRecording(JSON.stringify({ title: 'Recording 1', ...more, steps }));
const stepsOf = (...steps: unknown[]) => {
  const made = translate([stage, page, ...steps]);
  if (!made.ok) throw new Error(made.problems.join('; '));
  // What is made of a recording is a job like any other.
  resolveJob({ seeds: ['https://shop.example/'], render: 'auto', steps: [{ do: made.steps }] });
  return made.steps;
};
const problemsOf = (...steps: unknown[]) => {
  const made = translate([stage, page, ...steps]);
  return made.ok ? [] : made.problems;
};
const key = (name: string) => [
  { type: 'keyDown', target: 'main', key: name },
  { type: 'keyUp', target: 'main', key: name },
];
const selectors = [['aria/More'], ['#more'], ['xpath///*[@id="more"]'], ['pierce/#more'], ['text/More']];

describe('a recording of the DevTools Recorder', () => {
  it('becomes steps, without what sets the stage, and knows its page', () => {
    const made = translate([
      stage,
      { type: 'emulateNetworkConditions', target: 'main', download: 1, upload: 1, latency: 1 },
      page,
      { type: 'click', target: 'main', selectors, offsetX: 12, offsetY: 7, duration: 400 },
      { type: 'change', target: 'main', selectors: [['#q'], 'aria/Search'], value: 'spanner' },
      ...key('Enter'),
      { type: 'scroll', target: 'main', x: 0, y: 1200.4 },
      { type: 'scroll', target: 'main', selectors: [['.list']], x: 300, y: 0 },
      { type: 'waitForElement', selectors: ['.hit'], timeout: 30_000 },
      { type: 'waitForExpression', expression: 'window.ready' },
      { type: 'close', target: 'main' },
    ]);
    expect(made).toEqual({
      ok: true,
      page: 'https://shop.example/search',
      steps: [
        { click: ['aria/More', '#more', 'xpath///*[@id="more"]', 'pierce/#more', 'text/More'] },
        { type: { into: ['#q', 'aria/Search'], text: 'spanner' } },
        { press: 'Enter' },
        { scroll: { top: 1200, left: 0 } },
        { scroll: { in: ['.list'], top: 0, left: 300 } },
        { waitFor: ['.hit'], timeout: '30000ms' },
        { waitFor: { expression: 'window.ready' } },
      ],
    });
  });

  it('keeps the time that it gives its steps', () => {
    const made = translate([page, { type: 'click', selectors }, { type: 'click', selectors, timeout: 700 }], {
      timeout: 5_000,
    });
    expect(made).toMatchObject({ steps: [{ timeout: '5000ms' }, { timeout: '700ms' }] });
  });

  it('presses keys together that were down together, and no key that the Recorder left down', () => {
    const [shiftDown, shiftUp] = key('Shift');
    const [controlDown, controlUp] = key('Control');
    const text = { type: 'change', selectors: [['#q']], value: 'Saw' };
    expect(stepsOf(controlDown, ...key('a'), controlUp, ...key(' '), ...key('\r'))).toEqual([
      { press: 'Control+a' },
      { press: 'Space' },
      { press: 'Enter' },
    ]);
    expect(stepsOf(controlDown, shiftDown, ...key('K'), shiftUp, ...key('c'), controlUp)).toEqual([
      { press: 'Control+Shift+K' },
      { press: 'Control+c' },
    ]);
    expect(stepsOf(shiftDown, text, ...key('Enter'))).toEqual([
      { type: { into: ['#q'], text: 'Saw' } },
      { press: 'Enter' },
    ]);
  });

  it('leads through shadow trees by CSS, and drops names that it cannot use', () => {
    const through = [
      ['aria/Shop', 'aria/Buy'],
      ['shop-item', 'button, .buy'],
      ['text/a', '#b'],
      ['#x >>> y'],
    ];
    expect(stepsOf({ type: 'click', selectors: through })).toEqual([
      { click: ['shop-item :is(button, .buy)'] },
    ]);
  });

  it('takes the last page before the first act for its own', () => {
    const newTab = { type: 'navigate', url: 'chrome://new-tab-page/' };
    const other = { type: 'navigate', url: 'https://shop.example/list' };
    expect(translate([newTab, page, other, { type: 'click', selectors }])).toMatchObject({
      page: 'https://shop.example/list',
    });
    expect(translate([newTab, { type: 'click', selectors }])).toMatchObject({ ok: true, page: undefined });
  });

  it.each([
    ['#password'],
    ['aria/Passwort'],
    ['input[type="password"]'],
    ['xpath///*[@id="userPass"]'],
    ['aria/Mot de passe[role="textbox"]'],
  ])('does not hold what was typed into %s', (name) => {
    const field = { type: 'change', selectors: [['form > input:nth-of-type(2)'], [name]] };
    const [problem] = problemsOf({ ...field, value: 'hunter2' });
    expect(problem).toContain('step 3 (change) fills in a password');
    expect(problem).toContain('"fromEnv": "WEBFARER_TYPE_PASSWORD"');
    expect(problem).not.toContain('hunter2');
    expect(stepsOf({ ...field, fromEnv: 'WEBFARER_TYPE_PASSWORD' })).toEqual([
      { type: { into: ['form > input:nth-of-type(2)', name], fromEnv: 'WEBFARER_TYPE_PASSWORD' } },
    ]);
  });

  it.each([
    ['hover', { type: 'hover', selectors }, 'step 4 (hover) has no counterpart'],
    ['a double click', { type: 'doubleClick', selectors }, 'step 4 (doubleClick) has no counterpart'],
    ['a right click', { type: 'click', selectors, button: 'secondary' }, 'with another button'],
    ['a frame', { type: 'click', selectors, frame: [0, 1] }, 'step 4 (click) acts in a frame'],
    ['a window', { type: 'click', selectors, target: 'https://a.example/' }, 'acts in another window'],
    [
      'another page',
      { ...page, url: 'https://shop.example/cart' },
      'leads to https://shop.example/cart, but',
    ],
    ['a step of an extension', { type: 'customStep', name: 'x' }, 'belongs to an extension'],
    ['an unknown step', { type: 'drag' }, 'step 4 (drag) is not a step that Webfarer knows'],
    ['no step', 7, 'step 4 (no type)'],
    ['no selectors', { type: 'click' }, 'names no element'],
    ['no usable selector', { type: 'click', selectors: [['text/a', 'text/b'], ['a[']] }, 'names no element'],
    ['no value', { type: 'change', selectors }, 'has no value'],
    ['no key', { type: 'keyDown' }, 'has no key'],
    ['no expression', { type: 'waitForExpression' }, 'has no expression'],
    [
      'a wait for several',
      { type: 'waitForElement', selectors: [['.hit']], operator: '>=', count: 10 },
      "document.querySelectorAll('.hit').length >= 10",
    ],
    ['a wait for what is hidden', { type: 'waitForElement', selectors, visible: false }, 'visible element'],
  ])('names the step that is %s, and what to do', (_, step, message) => {
    const problems = problemsOf({ type: 'click', selectors }, step);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(message);
  });

  it('names every step that is wrong', () => {
    const hover = { type: 'hover', selectors };
    expect(problemsOf(hover, { type: 'click', selectors }, hover).map((text) => text.slice(0, 6))).toEqual([
      'step 3',
      'step 5',
    ]);
    expect(problemsOf({ type: 'close' }, { type: 'click', selectors })[0]).toContain('follows the close');
  });

  it('has steps', () => {
    expect(translateRecording('{')).toEqual({
      ok: false,
      problems: ['it is not JSON; export it from the Recorder as JSON'],
    });
    for (const text of ['null', '{}', '{"steps":{}}', '7'])
      expect(translateRecording(text)).toEqual({ ok: false, problems: ['it has no list of steps'] });
    expect(problemsOf()).toEqual(['no step of it acts on a page']);
  });
});
