/** Adds listeners to a set; each addition answers how to stop listening. */
export function listenable<T>(listeners: Set<T>): (listener: T) => () => void {
  return (listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
}
