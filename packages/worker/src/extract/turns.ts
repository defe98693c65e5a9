/**
 * Resolves when everything else that waits for the process has had its turn: timers, sockets, other pages. Twice, since
 * what one turn brings (an answer) is worked on in the next: small work goes before large, without a look at a clock.
 */
export async function nextTurn(): Promise<void> {
  await turn();
  await turn();
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
