/** What Enter does in a text of YAML: a new line in the same block, another entry of a list, or the end of one. */
export function lineBreakAt(text: string, at: number): { from: number; insert: string } {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const line = text.slice(start, at);
  const indent = /^ */.exec(line)?.[0] ?? '';
  // An entry without anything in it: the list is over.
  if (/^ *- *$/.test(line)) return { from: start, insert: indent.slice(2) };
  if (/^ *- +[^\s:][^:]*(?::\S[^:]*)*$/.test(line)) return { from: at, insert: `\n${indent}- ` };
  if (/:\s*(?:#.*)?$/.test(line))
    return { from: at, insert: `\n${indent}${/^ *- /.test(line) ? '    ' : '  '}` };
  return { from: at, insert: `\n${indent}${/^ *- /.test(line) ? '  ' : ''}` };
}
