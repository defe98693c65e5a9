import type { Clock } from '@webfarer/protocol';
import { span } from '../terminal/format.ts';
import type { DevRow } from './dev-rows.ts';

/** Remembers what was made to fail, and tells when each of them plays its part again or another took over. */
export function createRecoveries(clock: Pick<Clock, 'now'>, tell: (text: string) => void) {
  const since = new Map<string, { at: number; pid: number | undefined }>();
  const roles = new Map<string, string>();
  return {
    failed(name: string, pid: number | undefined) {
      since.set(name, { at: clock.now(), pid });
    },
    look(rows: readonly DevRow[]) {
      for (const { process, well, is, of: member } of rows) {
        const before = roles.get(process.name);
        if (member.role === 'store' && well) roles.set(process.name, is);
        if (is === 'primary' && before?.startsWith('replica')) tell(`${process.name} took over: primary`);
        const failure = since.get(process.name);
        // A look that was under way when it was killed still saw it well, in its former life.
        if (failure === undefined || !well || process.pid === failure.pid) continue;
        since.delete(process.name);
        tell(`${process.name} is back after ${span(clock.now() - failure.at)}: ${is}`);
      }
    },
  };
}
