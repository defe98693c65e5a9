import type { Pause } from '@webfarer/protocol';

/** Workers and the store may pause for the same cause at about the same time: a person is told once. */
export interface PauseBoard {
  /** Why the source has paused; undefined: it has resumed. */
  set(source: string, pause: Pause | undefined): void;
  readonly pause: Pause | undefined;
}

export function createPauseBoard(changed: (pause: Pause | undefined) => void): PauseBoard {
  const pauses = new Map<string, Pause>();
  let told: { source: string; pause: Pause } | undefined;

  /** The one that was told of as long as it lasts, then any other. */
  function current(): { source: string; pause: Pause } | undefined {
    const same = told && pauses.get(told.source);
    if (told && same) return { source: told.source, pause: same };
    for (const [source, pause] of pauses) return { source, pause };
    return undefined;
  }

  return {
    set(source, pause) {
      if (pause) pauses.set(source, pause);
      else pauses.delete(source);
      const before = told;
      told = current();
      const sameCause = before !== undefined && before.pause.cause === told?.pause.cause;
      // Another one's words for what was said already are no news.
      const sameWords = before?.source !== told?.source || before?.pause.text === told?.pause.text;
      if (before === told || (sameCause && sameWords)) return;
      changed(told?.pause);
    },
    get pause() {
      return told?.pause;
    },
  };
}
