import { WebfarerError } from '@webfarer/protocol';

/** How often it is begun anew. */
const mostLost = 20;

/** Repeats a request that works a moment at a time, until what it works on is ready, and tells how far it has come. */
export async function askUntilReady<Answer extends { id: string; ready: boolean }>(
  ask: (id: string) => Promise<Answer>,
  { signal, tell }: { signal: AbortSignal; tell: (so: Answer) => void },
): Promise<void> {
  let id = '';
  // A crawl that runs moves on, and what was forgotten cannot be begun as it was.
  for (let lost = 0; ; ) {
    try {
      const answer = await ask(id);
      if (signal.aborted) return;
      tell(answer);
      if (answer.ready) return;
      ({ id } = answer);
    } catch (error) {
      const isLost = error instanceof WebfarerError && error.code === 'cursor-stale';
      if (!isLost || ++lost >= mostLost) throw error;
      id = '';
    }
  }
}
