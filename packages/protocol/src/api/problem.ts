import { z } from 'zod';
import { type ErrorCode, errorCodes, WebfarerError } from '../base/errors.ts';

const codes = Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]];

/** Problem details (RFC 9457): the one shape of every refusal. `next` says what to do now. */
export const problemSchema = z
  .object({
    type: z.string().describe('Names the kind of problem: urn:webfarer:problem: and the code'),
    title: z.string().describe('What the code means, the same for all problems of this kind'),
    status: z.int().describe('The HTTP status'),
    code: z.enum(codes).describe('From the closed table of errors'),
    detail: z.string().describe('What happened and why'),
    next: z.string().describe('What to do now'),
    retryable: z.boolean().describe('Whether the same request may succeed later'),
    invalid: z
      .array(
        z.object({
          in: z.enum(['path', 'query', 'header', 'body']),
          at: z.string().describe('The name of the parameter, or the path of the value in the body'),
          message: z.string(),
        }),
      )
      .optional()
      .describe('Each value that was not accepted'),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof problemSchema>;
export type InvalidValue = NonNullable<Problem['invalid']>[number];

/** As coordinators before this version wrote it too. */
const earlierProblem = problemSchema.extend({ next: z.string().optional() });

export const problemType = 'application/problem+json';
const kindPrefix = 'urn:webfarer:problem:';

/** As a problem document. What is not an error of ours is a bug: its text stays inside. */
export function problemOf(error: unknown, invalid: InvalidValue[] = []): Problem {
  const known = error instanceof WebfarerError && error.code !== 'internal' ? error : undefined;
  const code = known?.code ?? 'internal';
  const { status, retryable, meaning } = errorCodes[code];
  return {
    type: kindPrefix + code,
    title: meaning,
    // Codes of a command's ending are no answers of an API.
    status: status < 400 ? 500 : status,
    code,
    detail: known?.message ?? 'The coordinator could not handle the request because of a bug.',
    next: known?.next ?? usualNext(code),
    retryable,
    ...(invalid.length > 0 ? { invalid } : {}),
  };
}

/** What to do where the error itself does not say. */
function usualNext(code: ErrorCode): string {
  const { status, retryable } = errorCodes[code];
  if (code === 'job-invalid') return 'Correct the job. docs/job-file.md lists every setting and its default.';
  if (retryable) return 'Send the same request again in a few seconds.';
  return status < 500 && status >= 400
    ? 'Correct the request. GET /v1/openapi.json describes every route.'
    : 'Look into the event log of the coordinator.';
}

/** The error behind a problem document; undefined where the answer is something else. */
export function errorOfProblem(answer: unknown): WebfarerError | undefined {
  const { success, data } = earlierProblem.safeParse(answer);
  if (!success) return undefined;
  const { code, detail, next, invalid = [] } = data;
  const lines = invalid.map(({ in: where, at, message }) => `\n  ${where} ${at}: ${message}`).join('');
  return new WebfarerError(code, detail + lines, next === undefined ? {} : { next });
}
