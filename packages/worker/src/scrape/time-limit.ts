import { createContext, Script } from 'node:vm';

/** Runs synchronous work, and ends it where it takes too long. */
export type TimeLimit = <T>(work: () => T, late: () => Error) => T;

/**
 * Only the engine itself can end a regular expression or a selector that a page has led astray; `node:vm` is the way to ask
 * it. Each call costs a tenth of a millisecond.
 */
export function timeLimit(limitMs: number): TimeLimit {
  const context = createContext({ work: undefined as unknown });
  const call = new Script('work()');
  return <T>(work: () => T, late: () => Error): T => {
    context['work'] = work;
    try {
      return call.runInContext(context, { timeout: limitMs }) as T;
    } catch (error) {
      throw (error as { code?: string }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? late() : error;
    } finally {
      context['work'] = undefined;
    }
  };
}
