/** Resolves when everything else that waits for the process has had its turn: timers, sockets, other pages. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
