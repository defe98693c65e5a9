import { useEffect, useState } from 'react';

/** Every word is unfinished while it is typed. */
const lastingMs = 800;

/** Whether something has been so for a while, so that nothing flickers while a person types. */
export function useLasting(isSo: boolean): boolean {
  const [isLasting, setLasting] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLasting(isSo), isSo ? lastingMs : 0);
    return () => clearTimeout(timer);
  }, [isSo]);
  return isSo && isLasting;
}
