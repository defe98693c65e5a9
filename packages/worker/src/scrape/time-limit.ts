import { createContext, Script } from 'node:vm';

/** Runs synchronous work, and ends it where it takes too long: then the answer is undefined. */
export type TimeLimit = <T extends object>(work: () => T) => T | undefined;

/**
 * Only the engine itself can end a regular expression or a selector that a page has led astray; `node:vm` is the way to ask
 * it. Each call costs a tenth of a millisecond.
 */
export function timeLimit(limitMs: number): TimeLimit {
  const context = createContext({ work: undefined as unknown });
  const call = new Script('work()');
  return <T extends object>(work: () => T): T | undefined => {
    context['work'] = work;
    try {
      return call.runInContext(context, { timeout: limitMs }) as T;
    } catch (error) {
      if ((error as { code?: string }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
      throw error;
    } finally {
      context['work'] = undefined;
    }
  };
}
