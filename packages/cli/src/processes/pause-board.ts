import type { Pause } from '@webfarer/protocol';

/** Several processes stand still for the same cause at about the same time: a person is told once. */
export interface PauseBoard {
  /** What the process says now; undefined when it goes on. */
  set(process: number, pause: Pause | undefined): void;
  readonly pause: Pause | undefined;
}

export function createPauseBoard(changed: (pause: Pause | undefined) => void): PauseBoard {
  const pauses = new Map<number, Pause>();
  let told: { process: number; pause: Pause } | undefined;

  /** The one that was told of as long as it lasts, then any other. */
  function current(): { process: number; pause: Pause } | undefined {
    const same = told && pauses.get(told.process);
    if (told && same) return { process: told.process, pause: same };
    for (const [process, pause] of pauses) return { process, pause };
    return undefined;
  }

  return {
    set(process, pause) {
      if (pause) pauses.set(process, pause);
      else pauses.delete(process);
      const before = told;
      told = current();
      const sameCause = before !== undefined && before.pause.cause === told?.pause.cause;
      // Another one's words for what was said already are no news.
      const sameWords = before?.process !== told?.process || before?.pause.text === told?.pause.text;
      if (before === told || (sameCause && sameWords)) return;
      changed(told?.pause);
    },
    get pause() {
      return told?.pause;
    },
  };
}
