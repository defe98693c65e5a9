/**
 * Whether the tokenizer is inside SVG or MathML, where `<title>` and `<style>` hold markup instead of raw
 * text. An element of HTML that cannot stand there ends it, closed or not.
 */
export interface ForeignTracker {
  inside(): boolean;
  opened(name: string, selfClosing: boolean): void;
  closed(name: string): void;
}

/** Elements whose content is HTML again, within SVG and within MathML. */
const integration = new Map([
  ['svg', new Set(['foreignobject', 'desc', 'title'])],
  ['math', new Set(['mi', 'mo', 'mn', 'ms', 'mtext'])],
]);

/** Whether the content of an element of SVG or MathML is HTML. */
export const isIntegration = (name: string): boolean =>
  [...integration.values()].some((names) => names.has(name));

const breakout = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu ' +
    'meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var'
  ).split(' '),
);

/** Their end tags belong to an element around the SVG or MathML, which therefore ends as well. */
const around = new Set([
  ...breakout,
  ...'article aside button fieldset figure footer form header main nav section select td th tr tbody'.split(
    ' ',
  ),
]);

const maxDepth = 64;

export function createForeignTracker(): ForeignTracker {
  /** Open svg, math and integration elements, outermost first. */
  const open: string[] = [];
  const inside = (): boolean => {
    const last = open.at(-1);
    return last === 'svg' || last === 'math';
  };
  const leave = (): void => {
    while (inside()) open.pop();
  };
  return {
    inside,
    opened(name, selfClosing) {
      if (open.length === 0 && name !== 'svg' && name !== 'math') return;
      if (inside() && breakout.has(name)) return leave();
      const enters = name === 'svg' || name === 'math' || integration.get(open.at(-1) ?? '')?.has(name);
      if (enters && !selfClosing && open.length < maxDepth) open.push(name);
    },
    closed(name) {
      if (open.length === 0) return;
      const at = open.lastIndexOf(name);
      if (at >= 0) open.length = at;
      else if (inside() && around.has(name)) leave();
    },
  };
}
