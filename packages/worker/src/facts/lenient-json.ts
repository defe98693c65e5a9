import { decodeCharacters } from '../extract/entities.ts';

/** Longer texts are read only where they are valid. */
const maxRepairedChars = 1_000_000;

/**
 * Parses JSON as pages write it. Valid JSON is taken as it is; otherwise these faults are repaired:
 * - `<!-- … -->`, `<![CDATA[ … ]]>` and JavaScript comments around or between values
 * - quotes written as character references (`&quot;`)
 * - line breaks, tabs and other control characters inside strings
 * - escapes that JSON does not have (`\'`): the character itself
 * - trailing commas, semicolons at the end, several values one after the other (they become a list)
 * Answers undefined where that is not enough, for example for text that was cut off. Takes linear time.
 */
export function parseLenient(text: string): unknown {
  const plain = parsed(text);
  if (plain !== undefined) return plain.value;
  if (text.length > maxRepairedChars) return undefined;
  const repaired = parsed(repair(text));
  if (repaired !== undefined) return repaired.value;
  if (!/&(?:quot|#34|#x22);/i.test(text)) return undefined;
  return parsed(repair(decodeCharacters(text)))?.value;
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/** A number or a word. */
const atom = /[^\s"{}[\],:/<;\u00a0\ufeff]+/y;

function repair(text: string): string {
  const out: string[] = [];
  const behindNoise = noiseSkipper(text);
  let depth = 0;
  let at = 0;
  /** Whether a value ended on the outermost level, after which only another one can come. */
  let isComplete = false;
  let values = 0;
  while (at < text.length) {
    const next = behindNoise(at);
    if (next > at) {
      at = next;
      continue;
    }
    const char = text[at] as string;
    if (depth === 0 && char === ',') {
      at++;
      continue;
    }
    if (depth === 0 && isComplete) {
      out.push(',');
      isComplete = false;
    }
    if (char === '"') {
      const end = endOfString(text, at);
      out.push(repairString(text.slice(at, end)));
      at = end;
    } else if ('{}[],:'.includes(char)) {
      if (char === '{' || char === '[') depth++;
      if (char === '}' || char === ']') {
        depth--;
        while (out.at(-1) === ',') out.pop();
      }
      out.push(char);
      at++;
    } else {
      atom.lastIndex = at;
      const length = atom.exec(text)?.[0].length ?? 1;
      out.push(text.slice(at, at + length));
      at += length;
    }
    if (depth === 0) {
      isComplete = true;
      values++;
    }
  }
  const all = out.join('');
  return values > 1 ? `[${all}]` : all;
}

/** What opens or ends a section that hides the script from old browsers. */
const markers = ['<![CDATA[', ']]>', '<!--', '-->'];
const space = /[\s\u00a0\ufeff;]/;
/** Finds the next place of something from ever later ones on. What was found is kept, so that all calls take linear time. */
function finder(text: string, what: string): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found < from && found !== text.length) found = text.indexOf(what, from);
    if (found < 0) found = text.length;
    return found;
  };
}

/** Skips one piece of what stands between values and means nothing. */
function noiseSkipper(text: string): (at: number) => number {
  const commentEnd = finder(text, '-->');
  const object = finder(text, '{');
  const list = finder(text, '[');
  /** A comment with words only, not one around the value. */
  const isRemark = (at: number) => commentEnd(at) < Math.min(object(at), list(at));
  return (at) => {
    const char = text[at] as string;
    if (space.test(char)) return at + 1;
    if (char === '/') return behindScriptComment(text, at);
    const marker = markers.find((each) => text.startsWith(each, at));
    if (marker === undefined) return at;
    return marker === '<!--' && isRemark(at) ? commentEnd(at) + 3 : at + marker.length;
  };
}

function behindScriptComment(text: string, at: number): number {
  if (text[at + 1] === '*') {
    const end = text.indexOf('*/', at + 2);
    return end < 0 ? text.length : end + 2;
  }
  if (text[at + 1] !== '/') return at;
  // `//<![CDATA[` may have the value behind it on the same line.
  const rest = text.slice(at + 2, at + 20).trimStart();
  if (markers.some((marker) => rest.startsWith(marker))) return at + 2;
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

/** Just behind the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length) {
    const char = text.charCodeAt(at);
    if (char === 0x22) return at + 1;
    at += char === 0x5c ? 2 : 1;
  }
  return text.length;
}

function repairString(text: string): string {
  return text.replace(/\\(?:["\\/bfnrt]|u[\da-fA-F]{4})|\\|\p{Cc}/gu, (found) => {
    if (found.length > 1) return found;
    return found === '\\' ? '' : JSON.stringify(found).slice(1, -1);
  });
}
