import type { ProofKiller, TestKiller } from './mutant.ts';
import type { TestRun } from './run-tests.ts';
import type { Ran } from './run-bounded.ts';

/** What came of a mutant. Only `killed` is right; `invalid` means that the run says nothing about the rule. */
export interface Verdict {
  outcome: 'killed' | 'survived' | 'invalid';
  /** What the killer said, or why the run does not count. */
  because: string;
}

/** A crash while loading, a type error or a deadline would end any test: only the named case failing counts. */
export function judgeTest(killer: TestKiller, run: TestRun): Verdict {
  if (run.code === undefined) return invalid('the deadline ended the run');
  const ran = (run.cases.get(killer.test) ?? []).filter(({ name }) => name.includes(killer.case));
  if (ran.length === 0) return invalid(`no such case ran: ${killer.case}\n${run.tail}`);
  const failed = ran.filter(({ passed }) => !passed);
  if (failed.length === 0) return { outcome: 'survived', because: `${killer.case}: passes` };
  const expected = killer.says ?? 'AssertionError';
  const right = failed.find(({ message }) => message.includes(expected));
  const first = (right ?? failed[0])?.message ?? '';
  return right
    ? { outcome: 'killed', because: firstLine(first) }
    : invalid(`failed without "${expected}": ${firstLine(first)}`);
}

/** The proof must come to its end and find harm, not stumble. */
export function judgeProof(
  killer: ProofKiller,
  run: Ran,
  unchanged: Record<string, unknown> | undefined,
): Verdict {
  if (run.code === undefined) return invalid('the deadline ended the run');
  const line = lineOf(run);
  if (!line) return invalid(`no line of JSON: ${run.tail}`);
  if (line['ok'] === true) return { outcome: 'survived', because: `${killer.proof}: holds` };
  if (line['error'] !== undefined) return invalid(JSON.stringify(line['error']));
  const [found, usual] = [line, unchanged ?? {}].map((one) => JSON.stringify(fieldOf(one, killer.field)));
  if (found === undefined || found === usual) return invalid(`"${killer.field}" is ${found}, as without it`);
  return { outcome: 'killed', because: `${killer.field}: ${found}` };
}

function fieldOf(line: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((within, name) => (within as Record<string, unknown> | undefined)?.[name], line);
}

/** The last line of a proof's output. */
export function lineOf({ stdout }: Ran): Record<string, unknown> | undefined {
  try {
    return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function invalid(because: string): Verdict {
  return { outcome: 'invalid', because };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.slice(0, 200) ?? '';
}
