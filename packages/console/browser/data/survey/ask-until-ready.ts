import { WebfarerError } from '@webfarer/protocol';

/** How often it may be begun anew, or a coordinator be asked that does not keep it. */
const mostLost = 20;

interface Step {
  ready: boolean;
  /** When it was begun. */
  atMs: number;
}

/**
 * Repeats a request that works a moment at a time, until what it works on is ready, and tells how far it has come. Each
 * request may reach another coordinator, which answers about what it has begun itself, under another id.
 */
export async function askUntilReady<Answer extends Step & { id: string }>(
  ask: (id: string) => Promise<Answer>,
  { signal, tell }: { signal: AbortSignal; tell: (so: Answer) => void },
): Promise<void> {
  let id = '';
  await repeat(() => ask(id), {
    signal,
    tell(answer) {
      ({ id } = answer);
      tell(answer);
    },
    // A crawl that runs moves on, and what was forgotten cannot be begun as it was.
    lost: () => void (id = ''),
  });
}

/** Repeats a request about something that is ready, but perhaps at one coordinator alone, until that one is reached. */
export async function askKeeper<Answer extends Step>(
  ask: () => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  return await repeat(ask, { signal, tell() {}, lost() {} });
}

async function repeat<Answer extends Step>(
  ask: () => Promise<Answer>,
  { signal, tell, lost }: { signal: AbortSignal; tell: (so: Answer) => void; lost: () => void },
): Promise<Answer> {
  const begun = new Set<number>();
  for (let losses = 0; ; ) {
    try {
      const answer = await ask();
      signal.throwIfAborted();
      tell(answer);
      if (answer.ready) return answer;
      begun.add(answer.atMs);
    } catch (error) {
      const isLost = error instanceof WebfarerError && error.code === 'cursor-stale';
      if (!isLost || ++losses >= mostLost || signal.aborted) throw error;
      lost();
    }
    // A coordinator that works on too many at once ends the oldest.
    if (begun.size > mostLost)
      throw new WebfarerError('busy', 'The coordinators keep ending what they have begun.', {
        next: 'Try again when fewer people ask for such figures.',
      });
  }
}
