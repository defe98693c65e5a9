import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OpenApiDocument, OpenApiOperation } from '@webfarer/protocol/api';
import { pythonFor } from '../outside/python.ts';

export interface FuzzOptions {
  /** A folder of its own. */
  under: string;
  url: string;
  token: string;
  document: OpenApiDocument;
  /** Values that the path parameters take, by name; absent: whatever their schemas allow. */
  known?: Readonly<Record<string, string>>;
  /** Values that break the schemas, as well as those that fit. */
  negative: boolean;
  /** For each operation. */
  maxExamples: number;
  /** Which operations, as schemathesis is told; absent: all of them. */
  filter?: string[];
  seed: number;
}

export interface Fuzzed {
  operations: number;
  /** Requests that were sent and judged. */
  cases: number;
  failures: { title: string; count: number; operations: string[] }[];
  errors: unknown[];
  /** For people. */
  printed: string;
}

/**
 * Everything but `positive_data_acceptance`: a job, a schedule or a cursor may fit its schema and still mean nothing, and
 * is refused with a documented status then.
 */
const notChecked = 'positive_data_acceptance';
/** Refusals of what breaks the schema. */
const refusals = [400, 401, 403, 404, 405, 408, 409, 410, 413, 415, 429, 431];
const withinMs = 1_500_000;

/** Lets schemathesis make up requests from a document and judge the answers by it. */
export async function fuzz(options: FuzzOptions): Promise<Fuzzed> {
  const { under, url, token, negative, maxExamples, filter = [], seed } = options;
  mkdirSync(under, { recursive: true });
  const at = (name: string) => join(under, name);
  writeFileSync(at('openapi.json'), JSON.stringify(strictly(options.document, options.known)));
  writeFileSync(
    at('schemathesis.toml'),
    `headers = { Authorization = "Bearer \${FUZZ_TOKEN}" }\n[checks.negative_data_rejection]\nexpected-statuses = ${JSON.stringify(refusals)}\n`,
  );
  const chosen = {
    url,
    seed,
    'max-examples': maxExamples,
    phases: 'fuzzing',
    mode: negative ? 'all' : 'positive',
    'exclude-checks': notChecked,
    workers: 2,
    'generation-database': 'none',
    'report-json-path': 'report.json',
    'request-timeout': 120,
  };
  const words = [
    'run',
    'openapi.json',
    '--no-color',
    '--continue-on-failure',
    '--no-shrink',
    ...Object.entries(chosen).flatMap(([name, value]) => [`--${name}`, String(value)]),
    ...filter,
    ...endless(options.document).flatMap((name) => ['--exclude-operation-id', name]),
  ];
  const printed = await run(join(dirname(await pythonFor('schemathesis')), 'schemathesis'), words, {
    cwd: under,
    env: {
      ...process.env,
      FUZZ_TOKEN: token,
      PYTHONPATH: import.meta.dirname,
      SCHEMATHESIS_HOOKS: 'schemathesis_hooks',
      // Nothing leaves this machine, whatever a library thinks of doing.
      HTTP_PROXY: 'http://127.0.0.1:9',
      HTTPS_PROXY: 'http://127.0.0.1:9',
      NO_PROXY: '127.0.0.1',
    },
  });
  return judged(readReport(at('report.json'), printed), printed);
}

interface Report {
  operations: { tested: number };
  test_cases: { generated: number; without_checks: number };
  failures: Fuzzed['failures'];
  errors: unknown[];
}

function readReport(file: string, printed: string): Report {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch (error) {
    throw new Error(`schemathesis left no report:\n${printed.slice(-3_000)}`, { cause: error });
  }
}

function judged({ operations, test_cases, failures, errors }: Report, printed: string): Fuzzed {
  return {
    operations: operations.tested,
    cases: test_cases.generated - test_cases.without_checks,
    failures: failures.map(({ title, count, operations: where }) => ({ title, count, operations: where })),
    errors,
    printed,
  };
}

/** Answers without an end, which no fuzzer can wait for, and those that take as long as was asked. */
export function endless(document: OpenApiDocument): string[] {
  return operationsIn(document)
    .filter(
      ({ responses, operationId }) =>
        JSON.stringify(responses).includes('text/event-stream') || operationId === 'profileCoordinator',
    )
    .map(({ operationId }) => operationId);
}

export function operationsIn({ paths }: OpenApiDocument): OpenApiOperation[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods));
}

interface Described {
  name: string;
  in: string;
  schema?: unknown;
}

/**
 * The document without its `default` answers, so that only the statuses it names are documented, with lines as a list,
 * and with path parameters that lead to what there is.
 */
function strictly(given: OpenApiDocument, known: FuzzOptions['known']): OpenApiDocument {
  const document = structuredClone(given);
  for (const { responses, parameters = [] } of operationsIn(document)) {
    delete responses['default'];
    for (const response of Object.values(responses)) {
      const { content = {} } = response as { content?: Record<string, { schema?: unknown }> };
      const lines = content['application/x-ndjson'];
      if (lines) lines.schema = { type: 'array', items: lines.schema };
    }
    for (const parameter of parameters as unknown as Described[]) {
      const value = parameter.in === 'path' ? known?.[parameter.name] : undefined;
      if (value !== undefined) parameter.schema = { type: 'string', enum: [decodeURIComponent(value)] };
    }
  }
  return document;
}

function run(
  command: string,
  words: string[],
  how: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, { ...how, stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    const keep = (chunk: Buffer) => {
      printed += chunk.toString();
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const late = setTimeout(() => child.kill('SIGKILL'), withinMs);
    child.once('error', reject);
    child.once('close', () => {
      clearTimeout(late);
      resolve(printed);
    });
  });
}
