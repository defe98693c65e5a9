import { expect, it } from 'vitest';
import { headerOf } from './header.ts';
import type { Part } from './parts.ts';
import { runParts, runSteps } from './run-parts.ts';
import type { Ran, Step } from './step.ts';

const part = (id: string, header = ''): Part => ({
  ...headerOf(header),
  id,
  kind: id.startsWith('bench') ? 'bench' : 'proof',
  file: id,
  isNear: () => false,
});
const figures = '{"sizes":{},"ok":false}\n';

/** Runs what it is told to answer, and notes what ran beside what. */
function stage(answers: Record<string, Partial<Ran>> = {}) {
  const running = new Set<string>();
  const began: string[] = [];
  const commands = new Map<string, string>();
  const beside = new Map<string, number>();
  const lines: string[] = [];
  return {
    began,
    commands,
    beside,
    lines,
    print: (line: string) => void lines.push(line),
    async runStep({ name, command }: Step): Promise<Ran> {
      commands.set(name, command.join(' '));
      began.push(name);
      running.add(name);
      for (const each of running) beside.set(each, Math.max(beside.get(each) ?? 0, running.size));
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
      running.delete(name);
      return { status: 0, wall: 2, cpu: 1, log: figures, ...answers[name] };
    },
  };
}

it('runs four beside each other, long ones first, rated ones by two, and others by themselves', async () => {
  const run = stage();
  const many = Array.from({ length: 9 }, (_, n) => part(`prove p${n}`));
  const rated = ['r1', 'r2', 'r3'].map((name) => part(`prove ${name}`, '// ci: rated, because'));
  const alone = [part('prove a', '// ci: alone'), part('bench gate', '// ci: gate')];
  const long = part('prove late', '// ci: long');
  await runParts([...alone, ...rated, ...many, long, part('bench b')], run);
  expect(run.began[0]).toBe('prove late');
  expect(run.began.slice(-2)).toEqual(['prove a', 'bench gate']);
  expect(run.began).toHaveLength(16);
  const most = (some: readonly Part[]) => Math.max(...some.map(({ id }) => run.beside.get(id) ?? 0));
  expect([most(many), most(rated), most(alone)]).toEqual([4, 2, 1]);
});

it('judges again, alone, what came to no judgement, and what judges rates and failed beside others', async () => {
  const run = stage({
    'prove slow': { status: 124 },
    'prove unsure': { status: 3 },
    'prove unsure, alone': { status: 1 },
    'prove rate': { status: 1 },
    'prove wrong': { status: 1, log: 'lost 1' },
    'prove wrong, alone': { status: 1 },
    'prove shy': { status: 1 },
  });
  const names = ['slow', 'unsure', 'wrong', 'fine', 'shy'];
  const { judged, flickered } = await runParts(
    [...names.map((name) => part(`prove ${name}`)), part('prove rate', '// ci: rated')],
    run,
  );
  expect(Object.fromEntries(judged)).toEqual({
    'prove wrong': false,
    'prove fine': true,
    'prove slow': true,
    'prove unsure': false,
    'prove rate': true,
    'prove shy': true,
  });
  expect([...flickered]).toEqual(['prove shy']);
  expect(run.beside.get('prove unsure, alone')).toBe(1);
  expect(run.lines.join('\n')).toContain('FAILED  prove wrong  2 s  (CPU 1 s)  (exit 1)\n        lost 1');
});

it('judges none again where more failed than could be an accident', async () => {
  const names = ['a', 'b', 'c', 'd'].map((name) => `prove ${name}`);
  const run = stage(Object.fromEntries(names.map((name) => [name, { status: 1 }])));
  const { judged, flickered } = await runParts(
    names.map((name) => part(name)),
    run,
  );
  expect([...judged.values()]).toEqual([false, false, false, false]);
  expect(flickered.size).toBe(0);
});

it('takes figures of a bench for a pass, whatever they say, but the exit code of a gate', async () => {
  const run = stage({
    'bench low': { status: 1 },
    'bench broken': { log: 'Error: no such file' },
    'bench half': { log: '{"sizes":{},"error":"gone"}' },
    'bench gate': { status: 1 },
    'bench others': { log: '{"sizes":{},"found":{"theirs":{"error":"not done"}}}' },
  });
  const { judged } = await runParts(
    [
      part('bench others'),
      part('bench low'),
      part('bench broken'),
      part('bench half'),
      part('bench gate', '// ci: gate'),
    ],
    run,
  );
  expect(Object.fromEntries(judged)).toEqual({
    'bench others': true,
    'bench low': true,
    'bench broken': false,
    'bench half': false,
    'bench gate': false,
  });
});

it('runs a gate whole, or its quick form where that has the verdict', async () => {
  const run = stage();
  await runParts(
    [part('bench whole', '// ci: gate'), part('bench counts', '// ci: gate\n// ci: short')],
    run,
  );
  expect(run.commands.get('bench whole')).toBe('node bench/bench.ts whole');
  expect(run.commands.get('bench counts')).toBe('node bench/bench.ts counts --quick');
});

it('counts steps that are no parts', async () => {
  const run = stage({ check: { status: 1 } });
  const steps = ['check', 'judges'].map((name) => ({ name, limitSeconds: 1, command: [] }));
  expect(Object.fromEntries((await runSteps(steps, run)).judged)).toEqual({ check: false, judges: true });
});
