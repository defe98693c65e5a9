import type { Clock } from '@webfarer/protocol';

/**
 * Memory for large bodies, shared by all requests. What a few hundred hosts may send at once is more than a
 * process has; beyond the limit a body waits on the wire until another one is done with. The oldest may
 * always go on, so that there is always one that ends.
 */
export interface HeldBytes {
  open(): Holder;
}

/** The body of one request. */
export interface Holder {
  /** Counts bytes that arrived. False: read no more until `resume` is called. */
  add(bytes: number, resume: () => void): boolean;
  /** The body is no longer needed. May be called again. */
  release(): void;
  /** All that arrived so far. */
  bytes(): number;
  /** How long this body was made to wait so far: our own doing, so no time of the server's. */
  waitedMs(): number;
}

/** An ordinary page never waits. */
const freeBytes = 262_144;

export function createHeldBytes(maxBytes: number, clock: Clock): HeldBytes {
  let total = 0;
  /** Large bodies, oldest first, with what wakes those that wait. */
  const large = new Map<Holder, (() => void) | undefined>();

  const mayGoOn = (holder: Holder): boolean => total <= maxBytes || large.keys().next().value === holder;

  function wake(): void {
    for (const [holder, resume] of large) {
      if (!resume || !mayGoOn(holder)) continue;
      large.set(holder, undefined);
      resume();
    }
  }

  return {
    open() {
      let own = 0;
      let over = false;
      let waited = 0;
      let waitsSince: number | undefined;
      const goOn = (resume: () => void): void => {
        waited = holder.waitedMs();
        waitsSince = undefined;
        resume();
      };
      const holder: Holder = {
        add(bytes, resume) {
          own += bytes;
          if (over || own <= freeBytes) return true;
          total += large.has(holder) ? bytes : own;
          large.set(holder, undefined);
          if (mayGoOn(holder)) return true;
          waitsSince ??= clock.now();
          large.set(holder, () => goOn(resume));
          return false;
        },
        release() {
          if (over) return;
          over = true;
          if (!large.delete(holder)) return;
          total -= own;
          wake();
        },
        bytes: () => own,
        waitedMs: () => waited + (waitsSince === undefined ? 0 : clock.now() - waitsSince),
      };
      return holder;
    },
  };
}
