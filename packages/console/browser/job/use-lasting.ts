import { useEffect, useState } from 'react';

/** Every word is unfinished while it is typed. */
const lastingMs = 800;
const debounceMs = 400;

/** Whether something has been so for a while, so that nothing flickers while a person types. */
export function useLasting(isSo: boolean): boolean {
  const [isLasting, setLasting] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLasting(isSo), isSo ? lastingMs : 0);
    return () => clearTimeout(timer);
  }, [isSo]);
  return isSo && isLasting;
}

/** A value once it has stayed the same for a while: what is asked of others is not asked for each letter. */
export function useDebounced<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), debounceMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
