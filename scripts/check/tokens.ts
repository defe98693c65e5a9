/** One word, sign or literal of a TypeScript source. Comments are kept apart, so no rule trips over them. */
export interface Token {
  kind: 'word' | 'sign' | 'string' | 'template' | 'regex' | 'number';
  /** For strings the text between the quotes, escapes left as written. */
  text: string;
  /** 1 for the first line. */
  line: number;
}

export interface Comment {
  text: string;
  line: number;
}

export interface Lexed {
  tokens: Token[];
  comments: Comment[];
}

/** After one of these words a slash starts a regular expression, not a division. */
const beforeRegex = new Set([
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'delete',
  'void',
  'instanceof',
  'new',
  'do',
  'else',
  'yield',
  'await',
  'throw',
]);

const wordPattern = /[\p{ID_Start}$_#@][\p{ID_Continue}$\u200c\u200d]*/uy;
const numberPattern = /\.?\d[\w.]*/y;
const spacePattern = /\s+/y;

/**
 * Splits TypeScript into tokens: enough to tell code from comments, strings, templates and regular
 * expressions. Not a parser; TypeScript 7 offers none, and the rules here need none.
 */
export function lex(source: string): Lexed {
  const tokens: Token[] = [];
  const comments: Comment[] = [];
  /** For each open `${`, how many braces are open inside it. */
  const templates: number[] = [];
  let at = 0;
  let line = 1;

  const take = (kind: Token['kind'], end: number, text = source.slice(at, end)): void => {
    tokens.push({ kind, text, line });
    moveTo(end);
  };
  const moveTo = (end: number): void => {
    for (let i = at; i < end; i++) if (source[i] === '\n') line++;
    at = end;
  };
  const match = (pattern: RegExp): number => {
    pattern.lastIndex = at;
    return pattern.test(source) ? pattern.lastIndex : -1;
  };

  while (at < source.length) {
    const char = source[at] as string;
    const two = source.slice(at, at + 2);
    let end = match(spacePattern);
    if (end > 0) {
      moveTo(end);
    } else if (two === '//' || (two === '#!' && at === 0)) {
      end = source.indexOf('\n', at);
      if (end < 0) end = source.length;
      comments.push({ text: source.slice(at + 2, end).trim(), line });
      moveTo(end);
    } else if (two === '/*') {
      end = source.indexOf('*/', at + 2);
      end = end < 0 ? source.length : end + 2;
      comments.push({ text: source.slice(at + 2, end - 2).trim(), line });
      moveTo(end);
    } else if (char === '"' || char === "'") {
      end = endOfString(source, at);
      take('string', end, source.slice(at + 1, end - 1));
    } else if (char === '`' || (char === '}' && templates.at(-1) === 0)) {
      if (char === '}') templates.pop();
      end = endOfTemplatePart(source, at + 1);
      if (source.startsWith('${', end - 2)) templates.push(0);
      take('template', end);
    } else if (char === '/' && regexMayStart(tokens.at(-1))) {
      take('regex', endOfRegex(source, at));
    } else if ((end = match(numberPattern)) > 0) {
      take('number', end);
    } else if ((end = match(wordPattern)) > 0) {
      take('word', end);
    } else {
      const depth = templates.length - 1;
      if (depth >= 0 && char === '{') templates[depth] = (templates[depth] ?? 0) + 1;
      if (depth >= 0 && char === '}') templates[depth] = (templates[depth] ?? 0) - 1;
      take('sign', at + (two === '=>' ? 2 : 1));
    }
  }
  return { tokens, comments };
}

function endOfString(source: string, start: number): number {
  for (let i = start + 1; i < source.length; i++) {
    if (source[i] === '\\') i++;
    else if (source[i] === source[start] || source[i] === '\n') return i + 1;
  }
  return source.length;
}

/** Ends behind the closing backtick or behind the next `${`. */
function endOfTemplatePart(source: string, start: number): number {
  for (let i = start; i < source.length; i++) {
    if (source[i] === '\\') i++;
    else if (source[i] === '`') return i + 1;
    else if (source.startsWith('${', i)) return i + 2;
  }
  return source.length;
}

function endOfRegex(source: string, start: number): number {
  let inClass = false;
  for (let i = start + 1; i < source.length; i++) {
    const char = source[i];
    if (char === '\\') i++;
    else if (char === '[') inClass = true;
    else if (char === ']') inClass = false;
    else if (char === '\n') return i;
    else if (char === '/' && !inClass) {
      let end = i + 1;
      while (/[a-z]/.test(source[end] ?? '')) end++;
      return end;
    }
  }
  return source.length;
}

function regexMayStart(previous: Token | undefined): boolean {
  if (previous === undefined) return true;
  if (previous.kind === 'word') return beforeRegex.has(previous.text);
  if (previous.kind === 'template') return previous.text.endsWith('${');
  return previous.kind === 'sign' && !')]}'.includes(previous.text);
}
