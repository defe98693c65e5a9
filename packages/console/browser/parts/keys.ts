import { useEffect } from 'react';

/** `g c`: one key after the other. */
export type Keys = Readonly<Record<string, () => void>>;

/** Until the second key of a pair. */
const pairMs = 1_200;

/** Keyboard shortcuts of the whole console. Nothing happens while a person types into a field. */
export function useKeys(keys: Keys): void {
  useEffect(() => {
    let before = { key: '', atMs: 0 };
    function pressed(event: KeyboardEvent): void {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const pair = event.timeStamp - before.atMs < pairMs ? `${before.key} ${event.key}` : '';
      const action = keys[pair] ?? keys[event.key];
      before = { key: event.key, atMs: event.timeStamp };
      if (!action) return;
      event.preventDefault();
      action();
    }
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [keys]);
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
