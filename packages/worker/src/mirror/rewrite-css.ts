import { cssReferences } from '../extract/css.ts';
import { applyEdits, type Redirected } from './edits.ts';

/** A style sheet whose references lead to the folder, or where that has no copy to the live site. */
export function rewriteCss(css: string, base: string, redirected: Redirected): string {
  const edits = cssReferences(css).flatMap(({ href, start, end }) => {
    const to = redirected(href, base);
    return to === undefined ? [] : [{ start, end, text: cssString(to.href) }];
  });
  return applyEdits(css, edits);
}

/** Without a character that would end the string, the element or the attribute it stands in. */
function cssString(text: string): string {
  return `"${text.replace(/["\\\n\r\f<>]/g, (char) => `\\${char.charCodeAt(0).toString(16)} `)}"`;
}
