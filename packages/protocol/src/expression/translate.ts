import {
  type CodeSet,
  complement,
  digits,
  isAscii,
  lineTerminators,
  spaces,
  union,
  withOtherCases,
  wordCharacters,
} from './code-sets.ts';

/** A JavaScript expression, as RE2 reads it. */
export interface Translation {
  source: string;
  /** Of a program for it, in steps: what one character of a text may cost at worst. */
  size: number;
  /** It matches nothing but ASCII, so that flag `u` makes no difference. */
  isAscii: boolean;
  /** What has another meaning in RE2, where the groups of a match are asked for or not; undefined: nothing. */
  differs: { test: string | undefined; find: string | undefined };
}

/** What no engine runs in linear time, in words for a person. */
export class NotLinear extends Error {}

const lastUnit = 0xffff;
const lastPoint = 0x10_ffff;
/**
 * Without flag `u` an expression sees code units, RE2 sees code points. A unit of a surrogate pair is therefore moved to
 * a code point of its own, in the expression and in the text.
 */
const movedBy = 0x10_0000;
const firstSurrogate = 0xd800;
const lastSurrogate = 0xdfff;

export const hasSurrogates = (text: string): boolean => /[\ud800-\udfff]/.test(text);

/** A text for an expression without flag `u`. */
export const moveSurrogates = (text: string): string =>
  text.replaceAll(/[\ud800-\udfff]/g, (unit) => String.fromCodePoint(unit.charCodeAt(0) + movedBy));

export const restoreSurrogates = (text: string): string =>
  text.replaceAll(/[\u{10d800}-\u{10dfff}]/gu, (moved) =>
    String.fromCharCode((moved.codePointAt(0) ?? 0) - movedBy),
  );

/** Of an expression that JavaScript accepts with these flags. Throws `NotLinear`. */
export function translate(source: string, flags: string): Translation {
  const reader = new Reader(source, flags);
  const { text, mayBeEmpty, size } = reader.alternatives();
  const { differs, differsInGroups, ascii } = reader;
  return {
    source: text,
    size,
    isAscii: ascii && !mayBeEmpty,
    differs: { test: differs, find: differs ?? differsInGroups },
  };
}

/** A part of an expression: in RE2's language, and what decides whether a repetition means the same there. */
interface Part {
  text: string;
  mayBeEmpty: boolean;
  groups: number;
  /** Steps of a program for it, with its counts written out. */
  size: number;
}

const nothing: Part = { text: '', mayBeEmpty: true, groups: 0, size: 0 };

const quantifier = /[*+?]|\{(\d+)(?:(,)(\d*))?\}/y;
const classEscapes: Readonly<Record<string, CodeSet>> = { d: digits, w: wordCharacters, s: spaces };
const controls: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };

class Reader {
  differs: string | undefined;
  differsInGroups: string | undefined;
  ascii = true;
  readonly #source: string;
  readonly #ignoresCase: boolean;
  readonly #dotAll: boolean;
  readonly #unicode: boolean;
  #at = 0;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#ignoresCase = flags.includes('i');
    this.#dotAll = flags.includes('s');
    this.#unicode = flags.includes('u');
    const [other] = flags.replaceAll(/[ius]/g, '');
    if (other !== undefined) this.differs = `flag ${other}`;
    else if (this.#ignoresCase && this.#unicode) this.differs = 'flags i and u together';
  }

  alternatives(): Part {
    let whole = this.#sequence();
    while (this.#takes('|')) {
      const next = this.#sequence();
      whole = {
        text: `${whole.text}|${next.text}`,
        mayBeEmpty: whole.mayBeEmpty || next.mayBeEmpty,
        groups: whole.groups + next.groups,
        size: whole.size + next.size + 1,
      };
    }
    return whole;
  }

  #sequence(): Part {
    let whole = nothing;
    for (let next = this.#peek(); next !== '' && next !== '|' && next !== ')'; next = this.#peek()) {
      const part = this.#repeated(this.#atom(next));
      whole = {
        text: whole.text + part.text,
        mayBeEmpty: whole.mayBeEmpty && part.mayBeEmpty,
        groups: whole.groups + part.groups,
        size: whole.size + part.size,
      };
    }
    return whole;
  }

  #atom(next: string): Part {
    this.#at++;
    switch (next) {
      case '^':
        return { ...nothing, text: '\\A' };
      case '$':
        return { ...nothing, text: '\\z' };
      case '.':
        return this.#one(this.#dotAll ? this.#but([]) : this.#but(lineTerminators));
      case '(':
        return this.#group();
      case '[':
        return this.#one(this.#class());
      case '\\':
        return this.#escape();
      default:
        this.#at--;
        return this.#one(this.#cased(this.#literal()));
    }
  }

  #group(): Part {
    const isPlain = this.#peek() !== '?';
    if (!isPlain) this.#groupHead();
    const isCapture = isPlain || this.#source[this.#at - 1] === '>';
    const inner = this.alternatives();
    this.#at++;
    return {
      text: `${isCapture ? '(' : '(?:'}${inner.text})`,
      mayBeEmpty: inner.mayBeEmpty,
      groups: inner.groups + Number(isCapture),
      size: inner.size + Number(isCapture),
    };
  }

  /** Gets past `?:` or `?<name>`. */
  #groupHead(): void {
    const [head = ''] = /^\?(?:<?[=!]|:|<[^>]*>|)/.exec(this.#source.slice(this.#at)) ?? [];
    if (head === '?=' || head === '?!') throw new NotLinear('a lookahead, (?=…) or (?!…)');
    if (head === '?<=' || head === '?<!') throw new NotLinear('a lookbehind, (?<=…) or (?<!…)');
    if (head === '?') throw new NotLinear('flags inside of a group, (?i:…)');
    this.#at += head.length;
  }

  #repeated(atom: Part): Part {
    quantifier.lastIndex = this.#at;
    const [text, least, comma, most] = quantifier.exec(this.#source) ?? [];
    if (text === undefined) return atom;
    this.#at += text.length;
    const count = least === undefined ? text : `{${BigInt(least)}${comma ?? ''}${most ? BigInt(most) : ''}}`;
    // JavaScript forgets the groups of one turn in the next, and takes no turn that matches nothing.
    const isGroup = /^\((?!\?:)/.test(atom.text);
    if (count !== '{1}' && atom.mayBeEmpty) this.differsInGroups ??= 'a repeated part that may be empty';
    if (atom.groups > Number(isGroup)) this.differsInGroups ??= 'a group within a repeated group';
    return {
      ...atom,
      text: `${atom.text}${count}${this.#takes('?') ? '?' : ''}`,
      mayBeEmpty: atom.mayBeEmpty || /^(?:[*?]|\{0)/.test(count),
      size: atom.size * Math.max(1, Number(least ?? 1), Number(most ?? 1)) + 1,
    };
  }

  #escape(): Part {
    const next = this.#peek();
    if (next === 'b' || next === 'B') {
      this.#at++;
      return { ...nothing, text: `\\${next}` };
    }
    if (/[1-9]/.test(next) || next === 'k') throw new NotLinear(`a backreference, \\${next}`);
    return this.#one(this.#escapedSet());
  }

  /** Behind a backslash, in a class or outside: the characters that it stands for. */
  #escapedSet(): CodeSet {
    const next = this.#peek();
    const named = classEscapes[next.toLowerCase()];
    if (named !== undefined) {
      this.#at++;
      return next === next.toLowerCase() ? named : this.#but(named);
    }
    if (this.#unicode && /p/i.test(next)) {
      this.#at = this.#source.indexOf('}', this.#at) + 1;
      this.differs ??= 'a Unicode property, \\p{…}';
      this.ascii = false;
      return [];
    }
    return this.#cased(this.#escapedCode());
  }

  #escapedCode(): number {
    const rest = this.#source.slice(this.#at, this.#at + 12);
    const [whole, one, four, point, control] =
      /^(?:x([\da-f]{2})|u([\da-f]{4})|u\{([\da-f]+)\}|c([a-z]))/i.exec(rest) ?? [];
    const unit = one ?? four;
    if (whole !== undefined && (point === undefined || this.#unicode)) {
      this.#at += whole.length;
      if (point !== undefined) this.ascii = false;
      if (control !== undefined) return control.charCodeAt(0) % 32;
      return unit === undefined ? Number.parseInt(point ?? '', 16) : this.#pairOf(Number.parseInt(unit, 16));
    }
    const next = this.#peek();
    if (/^(?:0\d|[1-9c])/.test(rest)) throw new NotLinear(`the escape \\${next}`);
    const named = next === '0' ? 0 : controls[next];
    if (named === undefined) return this.#literal();
    this.#at++;
    return named;
  }

  /** `\ud83d\ude00` is one code point with flag `u`. */
  #pairOf(unit: number): number {
    if (!this.#unicode || unit < firstSurrogate || unit > 0xdbff) return unit;
    const [, low] = /^\\u(d[c-f][\da-f]{2})/i.exec(this.#source.slice(this.#at)) ?? [];
    if (low === undefined) return unit;
    this.#at += 6;
    return (unit - firstSurrogate) * 0x400 + (Number.parseInt(low, 16) - 0xdc00) + 0x1_0000;
  }

  #class(): CodeSet {
    const isInverted = this.#takes('^');
    const parts: CodeSet[] = [];
    while (!this.#takes(']')) {
      const from = this.#classMember();
      if (this.#peek() !== '-' || this.#source[this.#at + 1] === ']') {
        parts.push(from);
        continue;
      }
      this.#at++;
      const to = this.#classMember();
      const [low, high] = [single(from), single(to)];
      // `[a-\d]` is `a`, a hyphen and the digits.
      if (low === undefined || high === undefined) parts.push(from, only(0x2d), to);
      else parts.push([[low, high]]);
    }
    const plain = union(...parts);
    const set = this.#ignoresCase ? withOtherCases(plain) : plain;
    return isInverted ? this.#but(set) : set;
  }

  /** As written: other cases are added to the whole class. */
  #classMember(): CodeSet {
    if (!this.#takes('\\')) return only(this.#literal());
    const next = this.#peek();
    if (next === 'b') {
      this.#at++;
      return only(8);
    }
    if (classEscapes[next.toLowerCase()] !== undefined || (this.#unicode && /p/i.test(next)))
      return this.#escapedSet();
    return only(this.#escapedCode());
  }

  #literal(): number {
    const code = this.#unicode
      ? (this.#source.codePointAt(this.#at) ?? 0)
      : this.#source.charCodeAt(this.#at);
    this.#at += code > lastUnit ? 2 : 1;
    return code;
  }

  #cased(code: number): CodeSet {
    return this.#ignoresCase ? withOtherCases(only(code)) : only(code);
  }

  #but(set: CodeSet): CodeSet {
    return complement(set, this.#unicode ? lastPoint : lastUnit);
  }

  #one(set: CodeSet): Part {
    if (!isAscii(set)) this.ascii = false;
    return { text: written(this.#unicode ? set : moved(set)), mayBeEmpty: false, groups: 0, size: 1 };
  }

  #peek(): string {
    return this.#source[this.#at] ?? '';
  }

  #takes(sign: string): boolean {
    if (this.#peek() !== sign) return false;
    this.#at++;
    return true;
  }
}

const only = (code: number): CodeSet => [[code, code]];

function single(set: CodeSet): number | undefined {
  const [first, ...others] = set;
  return first !== undefined && others.length === 0 && first[0] === first[1] ? first[0] : undefined;
}

function moved(set: CodeSet): CodeSet {
  const surrogates = set.flatMap(([from, to]): [number, number][] => {
    const [low, high] = [Math.max(from, firstSurrogate), Math.min(to, lastSurrogate)];
    return low > high ? [] : [[low + movedBy, high + movedBy]];
  });
  return union(set, surrogates);
}

const escaped = (code: number): string => {
  const character = String.fromCodePoint(code);
  return /[\dA-Za-z]/.test(character) ? character : `\\x{${code.toString(16)}}`;
};

function written(set: CodeSet): string {
  const code = single(set);
  if (code !== undefined) return escaped(code);
  if (set.length === 0) return '[^\\x{0}-\\x{10ffff}]';
  return `[${set.map(([from, to]) => (from === to ? escaped(from) : `${escaped(from)}-${escaped(to)}`)).join('')}]`;
}
