/** One word, sign or literal of a TypeScript source. Comments are kept apart, so no rule trips over them. */
export interface Token {
  /** `text` is what stands between the tags of JSX: never code. */
  kind: 'word' | 'sign' | 'string' | 'template' | 'regex' | 'number' | 'text';
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

/** After one of these words an expression starts: a slash is no division, `<` no comparison. */
const beforeExpression = new Set([
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
/** Names in a tag may hold dashes, which are no minus there. */
const tagWordPattern = /[\w$-]+/y;
/** `<` and a name, or the `<>` of a fragment; `<T,` and `<T extends` open the type parameters of a function. */
const elementPattern = /<(?:>|[\p{ID_Start}$_](?![\w$]*\s*(?:,|extends\s)))/uy;

/** What the lexer is inside of, other than the code of the file itself. */
type Frame =
  /** Code in `${...}` of a template or `{...}` of JSX, with the number of braces open inside it. */
  | { in: 'template' | 'braces'; open: number }
  /** Between `<` and `>`, with the number of angles open inside it: those of type arguments. */
  | { in: 'tag'; closes: boolean; open: number }
  /** Between an opening tag and its closing tag. */
  | { in: 'children' };

export interface LexOptions {
  /** Whether `<` may open an element: in `.tsx`, where no type assertion can begin with it. */
  jsx?: boolean;
}

/**
 * Splits TypeScript into tokens: enough to tell code from comments, strings, templates, regular
 * expressions and the text of JSX. Not a parser: the rules here need none, and a parser takes several times as long.
 */
export function lex(source: string, { jsx = false }: LexOptions = {}): Lexed {
  const tokens: Token[] = [];
  const comments: Comment[] = [];
  const frames: Frame[] = [];
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
  /** Spaces and comments, which are the same in code and in tags. */
  const skip = (two: string): boolean => {
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
    } else return false;
    return true;
  };

  const openTag = (): void => {
    frames.push({ in: 'tag', closes: source[at + 1] === '/', open: 0 });
    take('sign', at + 1);
  };
  const openBraces = (): void => {
    frames.push({ in: 'braces', open: 0 });
    take('sign', at + 1);
  };
  const inChildren = (char: string): void => {
    if (char === '<') return openTag();
    if (char === '{') return openBraces();
    let end = at;
    while (end < source.length && source[end] !== '<' && source[end] !== '{') end++;
    if (source.slice(at, end).trim() === '') moveTo(end);
    else take('text', end);
  };
  const inTag = (tag: Frame & { in: 'tag' }, char: string): void => {
    const end = match(tagWordPattern);
    if (end > 0) return take('word', end);
    if (char === '{') return openBraces();
    if (char === '"' || char === "'") {
      const quote = source.indexOf(char, at + 1);
      const close = quote < 0 ? source.length : quote + 1;
      return take('string', close, source.slice(at + 1, close - 1));
    }
    if (char === '<') tag.open++;
    else if (char === '>' && tag.open > 0) tag.open--;
    else if (char === '>') {
      frames.pop();
      if (tag.closes) frames.pop();
      else if (source[at - 1] !== '/') frames.push({ in: 'children' });
    }
    take('sign', at + 1);
  };
  const inCode = (frame: (Frame & { open: number }) | undefined, char: string, two: string): void => {
    let end: number;
    if (char === '"' || char === "'") {
      end = endOfString(source, at);
      take('string', end, source.slice(at + 1, end - 1));
    } else if (char === '`' || (char === '}' && frame?.in === 'template' && frame.open === 0)) {
      if (char === '}') frames.pop();
      end = endOfTemplatePart(source, at + 1);
      if (source.startsWith('${', end - 2)) frames.push({ in: 'template', open: 0 });
      take('template', end);
    } else if (char === '/' && expressionMayStart(tokens)) {
      take('regex', endOfRegex(source, at));
    } else if (jsx && char === '<' && expressionMayStart(tokens) && match(elementPattern) > 0) {
      openTag();
    } else if ((end = match(numberPattern)) > 0) {
      take('number', end);
    } else if ((end = match(wordPattern)) > 0) {
      take('word', end);
    } else {
      if (frame && char === '}' && frame.open === 0) frames.pop();
      else if (frame && char === '{') frame.open++;
      else if (frame && char === '}') frame.open--;
      take('sign', at + (two === '=>' ? 2 : 1));
    }
  };

  while (at < source.length) {
    const char = source[at] as string;
    const two = source.slice(at, at + 2);
    const frame = frames.at(-1);
    if (frame?.in === 'children') inChildren(char);
    else if (skip(two)) continue;
    else if (frame?.in === 'tag') inTag(frame, char);
    else inCode(frame, char, two);
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

/** Whether a slash begins a regular expression here, and `<` an element. */
function expressionMayStart(tokens: readonly Token[], count = tokens.length): boolean {
  const previous = tokens[count - 1];
  if (previous === undefined) return true;
  if (previous.kind === 'word') return beforeExpression.has(previous.text);
  if (previous.kind === 'template') return previous.text.endsWith('${');
  // The `!` behind a value asserts that it is there; in front of one it denies it.
  if (previous.text === '!') return expressionMayStart(tokens, count - 1);
  return previous.kind === 'sign' && !')]}'.includes(previous.text);
}
