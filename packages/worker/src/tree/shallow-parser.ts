import { type Handler, Parser } from 'htmlparser2';
import { maxDepth } from './tree-builder.ts';

/**
 * A parser whose elements nest no deeper than `maxDepth`: its time grows with the square of the depth, and readers that
 * recurse would run out of stack. So that the deepest element can be closed where the next one opens, this reaches for
 * members that are not public.
 */
export function shallowParser(handler: Partial<Handler>, { xml }: { xml: boolean }): Parser {
  const parser = new Parser(handler, { xmlMode: xml, decodeEntities: true });
  const inner = parser as unknown as {
    stack: string[];
    popElement(implied: boolean): void;
    onopentagname(start: number, end: number): void;
  };
  const open = inner.onopentagname.bind(parser);
  inner.onopentagname = (start, end) => {
    if (inner.stack.length >= maxDepth) inner.popElement(true);
    open(start, end);
  };
  return parser;
}
