/** What became of a pushed item: the value to store, or what is wrong with it. */
export type ItemVerdict = { ok: true; value: unknown } | { ok: false; problem: string };

/** The part of the Standard Schema interface (v1) that is needed to check a value. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export function isSchema(value: unknown): value is StandardSchema {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    '~standard' in value &&
    typeof (value['~standard'] as { validate?: unknown } | undefined)?.validate === 'function'
  );
}

/** Checks items by the user's schema and says where a bad one is wrong: `price: expected number`. */
export function checkerOf(schema: StandardSchema): (item: unknown) => Promise<ItemVerdict> {
  return async (item) => {
    const result: StandardResult<unknown> = await schema['~standard'].validate(item);
    if (typeof result !== 'object' || !('issues' in result || 'value' in result))
      throw new TypeError(`the schema answered ${typeof result}, neither a value nor issues`);
    if (!result.issues) return { ok: true, value: result.value };
    return { ok: false, problem: result.issues.map(problem).join('; ') };
  };
}

function problem({ path, message }: StandardIssue): string {
  const keys = (path ?? []).map((part) => String(typeof part === 'object' ? part.key : part));
  return keys.length > 0 ? `${keys.join('.')}: ${message}` : message;
}
