/**
 * Whether the tokenizer is inside SVG or MathML, where `<title>` and `<style>` hold markup instead of raw
 * text. An element of HTML that cannot stand there ends it, closed or not.
 */
export interface ForeignTracker {
  inside(): boolean;
  opened(name: string, selfClosing: boolean): void;
  closed(name: string): void;
}

/** Elements of SVG and MathML whose content is HTML again. */
const integration = new Set([
  'foreignobject',
  'desc',
  'title',
  'mi',
  'mo',
  'mn',
  'ms',
  'mtext',
  'annotation-xml',
]);

const breakout = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu ' +
    'meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var'
  ).split(' '),
);

const maxDepth = 64;

export function createForeignTracker(): ForeignTracker {
  /** Open svg, math and integration elements, outermost first. */
  const open: string[] = [];
  const inside = (): boolean => {
    const last = open.at(-1);
    return last === 'svg' || last === 'math';
  };
  return {
    inside,
    opened(name, selfClosing) {
      if (inside() && breakout.has(name)) {
        while (inside()) open.pop();
        return;
      }
      const enters = name === 'svg' || name === 'math' || (inside() && integration.has(name));
      if (enters && !selfClosing && open.length < maxDepth) open.push(name);
    },
    closed(name) {
      if (open.length === 0) return;
      const at = open.lastIndexOf(name);
      if (at >= 0) open.length = at;
    },
  };
}
