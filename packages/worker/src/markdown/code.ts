import { isElement, type TreeElement } from '../tree/tree.ts';
import { isBlock, isUnseen } from './elements.ts';
import { walk } from './walk.ts';

/** The text of preformatted code, as it is laid out; without the line end that begins or ends it. */
export function codeOf(element: TreeElement): string {
  const parts: string[] = [];
  let atLineStart = true;
  const add = (text: string): void => {
    if (text === '') return;
    parts.push(text);
    atLineStart = text.endsWith('\n');
  };
  const newLine = (): void => {
    if (!atLineStart) add('\n');
  };
  walk(element.children, {
    text: add,
    enter(inner) {
      if (isUnseen(inner)) return false;
      if (inner.name === 'br') add('\n');
      else if (isBlock(inner.name)) newLine();
      return inner.name !== 'br';
    },
    leave(inner) {
      if (isBlock(inner.name)) newLine();
    },
  });
  return parts.join('').replace(/\r\n?/g, '\n').replace(/^\n/, '').trimEnd();
}

const named = /(?:^|\s)(?:lang(?:uage)?|brush|highlight-source|highlight|sourceCode|code)[-:]\s*([\w+#.-]+)/;

/** The language that a class of the code, of its `pre` or of what is around it names; empty where none does. */
export function languageOf(pre: TreeElement): string {
  const inner = pre.children.find((node) => isElement(node) && node.name === 'code');
  const places = [inner, pre, pre.parent];
  for (const place of places) {
    if (!place || !('attribs' in place)) continue;
    const found = place.attribs['data-lang'] ?? place.attribs['data-language'];
    const name = found ?? named.exec(place.attribs.class ?? '')?.[1];
    if (name !== undefined && /^[\w+#.-]{1,30}$/.test(name)) return name.toLowerCase();
  }
  return '';
}
