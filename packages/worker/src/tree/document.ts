import { DomHandler } from 'htmlparser2';
import { shallowParser } from './shallow-parser.ts';

/** A document of its own for user code, which may change it as it likes. */
export function readDocument(source: string): DomHandler['root'] {
  const handler = new DomHandler();
  shallowParser(handler, { xml: false }).end(source);
  return handler.root;
}
