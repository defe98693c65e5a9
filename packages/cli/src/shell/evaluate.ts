import { type Context, createContext, Script } from 'node:vm';

/** What became of some code: its value, or that the rest of it is still to come. */
export type Evaluated = { isWhole: true; value: unknown } | { isWhole: false };

/** Code that stands in more than one line: what V8 says where a line ends too early. */
const unfinished = /Unexpected end of input|missing \) after argument list|Unterminated template literal/;
const declaration = /^\s*(?:const|let|var)\s+([\w$]+|[{[][^]*?[}\]])\s*=(?!=)([^]*)$/;

/** Evaluates one piece of code after the other among the same names. Promises are awaited, and `await` may stand anywhere. */
export function createEvaluator(names: Record<string, unknown>): {
  names: Context;
  evaluate(code: string): Promise<Evaluated>;
} {
  const context = createContext({ URL, URLSearchParams, Buffer, console, ...names });
  return {
    names: context,
    async evaluate(code) {
      const script = compile(code);
      if (script === undefined) return { isWhole: false };
      return { isWhole: true, value: (await script.runInContext(context)) as unknown };
    },
  };
}

/** Undefined where the code is not complete. Throws where it is no code. */
function compile(code: string): Script | undefined {
  // What begins and ends with a brace is meant as an object, as at a prompt.
  const object = /^\s*\{[^]*\}\s*$/.test(code) ? parse(`(${code}\n)`) : undefined;
  if (object instanceof Script) return object;
  const plain = parse(code);
  if (plain instanceof Script) return plain;
  if (unfinished.test(plain.message)) return undefined;
  if (!/\bawait\b/.test(code)) throw plain;
  const [, names, value = ''] = declaration.exec(code) ?? [];
  const ways = [
    `(async () => (${code}\n))()`,
    // Without its keyword the name outlives the function.
    ...(names === undefined ? [] : [`(async () => { (${names} = ${value.replace(/;\s*$/, '')}\n); })()`]),
    `(async () => { ${code}\n })()`,
  ];
  for (const way of ways) {
    const script = parse(way);
    if (script instanceof Script) return script;
  }
  throw plain;
}

function parse(code: string): Script | SyntaxError {
  try {
    return new Script(code, { filename: 'shell' });
  } catch (error) {
    return error as SyntaxError;
  }
}
