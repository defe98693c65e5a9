import type { ClientOptions } from '@webfarer/protocol/api';

type Fetch = ClientOptions['fetch'];

const PATIENCE_MS = 30_000;

/** For answers that last: a log that is followed. A redirect is refused, since the token is for this coordinator alone. */
export const fetchStream: Fetch = async (url, request) =>
  await globalThis.fetch(url, { ...request, redirect: 'error' });

/** For answers that come at once. */
export const fetchSoon: Fetch = async (url, request) => {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const signal = request.signal ? AbortSignal.any([request.signal, patience]) : patience;
  try {
    return await fetchStream(url, { ...request, signal });
  } catch (error) {
    if (!patience.aborted) throw error;
    throw new Error(`it did not respond within ${PATIENCE_MS / 1_000} s`, { cause: undefined });
  }
};
