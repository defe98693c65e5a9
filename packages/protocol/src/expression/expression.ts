import { WebfarerError } from '../base/errors.ts';
import {
  hasSurrogates,
  moveSurrogates,
  NotLinear,
  restoreSurrogates,
  translate,
  type Translation,
} from './translate.ts';

/** A regular expression of a job: the time it takes grows with the text, and not faster. */
export interface Expression {
  test(text: string): boolean;
  /**
   * The groups of each match in turn, first the whole; undefined: a group that took no part. On a long text only within a
   * limit in time, which ends it wherever it is.
   */
  matches(text: string): Iterable<readonly (string | undefined)[]>;
}

export interface ExpressionOptions {
  /** Of JavaScript, those that say where a search begins or ends aside. */
  flags?: string | undefined;
  /** `find`: its matches are asked for, not only whether there is one. */
  use: 'test' | 'find';
  /** Characters of hosts that stand in it, which are not its writer's. */
  hostCharacters?: number;
}

/** What is used of re2js. */
interface Re2 {
  readonly DOTALL: number;
  compile(source: string, flags: number): Re2Expression;
}

interface Re2Expression {
  test(text: string): boolean;
  matcher(text: string): Re2Matcher;
  groupCount(): number;
  programSize(): number;
}

interface Re2Matcher {
  find(from: number): boolean;
  start(): number;
  end(): number;
  group(at: number): string | null;
}

/** A flag that only V8 knows: an expression that its linear-time engine cannot run is refused. */
const linear: string = 'l';
/**
 * A flag that the linear engine does not know. That engine cannot be ended in the middle of a text, as the usual one can by
 * a limit in time. Searches for matches in whole pages have such a limit.
 */
const endable = 'd';
const mostCharacters = 2_000;
/** Steps that one character of a text may cost at worst. */
const mostSteps = 2_000;
const mostHostCharacters = 20_000;
/**
 * The linear engine of V8 keeps no states: a URL of 2,000 bytes costs it 65 ns for each byte and step of an expression that was
 * made for it. RE2 is slower on a short one, and does not depend on the length. Where matches are asked for, it does.
 */
const mostNativeSteps = { test: 64, find: 300 } as const;

/**
 * The only way to run an expression that another person wrote: one such as `(a+)+$` occupies a process for hours in an engine
 * that backtracks. V8 runs it where its linear-time engine takes source and flags, RE2 in JavaScript where that does not.
 * Throws `usage` for an expression that neither takes.
 */
export function createExpression(source: string, options: ExpressionOptions): Expression {
  const { flags = '', use, hostCharacters = 0 } = options;
  // A process may enable V8's linear engine after it has read its first job.
  const name = JSON.stringify([source, flags, use, hostCharacters, hasLinearEngine()]);
  let expression = known.get(name);
  if (expression) return expression;
  expression = made(source, { flags, use, hostCharacters });
  const [oldest] = known.size < mostKnown ? [] : known.keys();
  if (oldest !== undefined) known.delete(oldest);
  known.set(name, expression);
  return expression;
}

/** To make one takes milliseconds, and a job is read again and again: by each change of it, and to see whether it may go. */
const mostKnown = 100;
// allow(state): expressions by what they are made of, bounded; a search holds nothing between calls
const known = new Map<string, Expression>();

function made(
  source: string,
  { flags, use, hostCharacters }: { flags: string; use: ExpressionOptions['use']; hostCharacters: number },
): Expression {
  if (hostCharacters > mostHostCharacters)
    throw refused(source, `${hostCharacters} characters of hosts, and ${mostHostCharacters} are the most`);
  if (source.length - hostCharacters > mostCharacters)
    throw refused(source, `${source.length} characters, and ${mostCharacters} are the most`);
  const whole = native(source, flags);
  if (typeof whole === 'string') throw invalid(whole);
  const translation = translated(source, flags);
  const { size, isAscii } = translation;
  if (size - hostCharacters > mostSteps)
    throw refused(source, `counts that make it ${size} steps long, and ${mostSteps} are the most`);
  // Where flag u makes no difference, V8 can do without it.
  const plain = isAscii && !flags.includes('i') ? flags.replace('u', '') : flags;
  const isNative = size <= mostNativeSteps[use] && typeof native(source, `${plain}${linear}`) !== 'string';
  if (isNative) return ofNative(new RegExp(source, plain), endable);
  const engine = loadEngine();
  // In a browser no text of another person is searched.
  if (engine === undefined) return ofNative(whole, '');
  const differs = translation.differs[use];
  if (differs !== undefined) throw unable(source, differs);
  return ofEngine(compiled(source, translation, engine), flags.includes('u'));
}

/** Why a job may not have this expression; undefined: it may. */
export function expressionTrouble(source: string, options: ExpressionOptions): string | undefined {
  try {
    createExpression(source, options);
    return undefined;
  } catch (error) {
    if (error instanceof WebfarerError) return error.message;
    throw error;
  }
}

const hasLinearEngine = (): boolean => typeof native('', linear) !== 'string';

/** The text of the error where JavaScript does not accept it. */
function native(source: string, flags: string): RegExp | string {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    return error instanceof Error ? (error.message.split(': ').at(-1) ?? '') : '';
  }
}

function translated(source: string, flags: string): Translation {
  try {
    return translate(source, flags);
  } catch (error) {
    throw error instanceof NotLinear ? unable(source, error.message) : error;
  }
}

function compiled(source: string, translation: Translation, engine: Re2): Re2Expression {
  try {
    return engine.compile(translation.source, engine.DOTALL);
  } catch {
    throw refused(source, 'counts above 1000');
  }
}

function ofNative(regexp: RegExp, more: string): Expression {
  const all = new RegExp(regexp.source, `${regexp.flags}g${more}`);
  return { test: (text) => regexp.test(text), matches: (text) => text.matchAll(all) };
}

function ofEngine(expression: Re2Expression, unicode: boolean): Expression {
  const isMoved = (text: string): boolean => !unicode && hasSurrogates(text);
  return {
    test: (text) => expression.test(isMoved(text) ? moveSurrogates(text) : text),
    *matches(text) {
      const moved = isMoved(text);
      for (const groups of allMatches(expression, moved ? moveSurrogates(text) : text))
        yield moved ? groups.map((group) => group && restoreSurrogates(group)) : groups;
    },
  };
}

/** As `matchAll` of JavaScript does it: behind a match that is empty, one character further. */
function* allMatches(expression: Re2Expression, text: string) {
  const matcher = expression.matcher(text);
  const groups = expression.groupCount();
  for (let from = 0; from <= text.length && matcher.find(from); ) {
    yield Array.from({ length: groups + 1 }, (_, at) => matcher.group(at) ?? undefined);
    const [start, end] = [matcher.start(), matcher.end()];
    from = end > start ? end : end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
  }
}

/** Loaded by the first expression that needs it; undefined in a browser. */
function loadEngine(): Re2 | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  const module = process?.getBuiltinModule?.('node:module') as
    | { createRequire(path: string): (name: string) => unknown }
    | undefined;
  const loaded = module?.createRequire(import.meta.url)('re2js') as { RE2JS: Re2 } | undefined;
  return loaded?.RE2JS;
}

const shown = (source: string): string => (source.length > 60 ? `${source.slice(0, 60)}…` : source);

function invalid(why: string): WebfarerError {
  return new WebfarerError(
    'usage',
    `not a valid regular expression${why === '' ? '' : ` (${why.toLowerCase()})`}`,
  );
}

function unable(source: string, what: string): WebfarerError {
  return refused(source, `${what}, which cannot be run in linear time`);
}

function refused(source: string, what: string): WebfarerError {
  const next = 'write it without, as several patterns, or with exclude or unless for what must not match';
  return new WebfarerError('usage', `the regular expression ${shown(source)} has ${what}; ${next}`);
}
