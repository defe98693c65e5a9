export interface ByteRange {
  first: number;
  /** The last byte that is in it. */
  last: number;
}

/**
 * The range that a `Range` header asks for. Undefined: the whole file, also for several ranges and for units other than
 * bytes, as RFC 9110 allows.
 */
export function rangeIn(header: string | undefined, bytes: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '') {
    const count = Math.min(Number(to), bytes);
    return count === 0 ? 'unsatisfiable' : { first: bytes - count, last: bytes - 1 };
  }
  const first = Number(from);
  const last = to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (to !== '' && Number(to) < first) return undefined;
  return first >= bytes ? 'unsatisfiable' : { first, last };
}
