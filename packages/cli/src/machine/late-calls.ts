/**
 * Whether an error that nobody waits for is one of a browser page: code in `inBrowser` that forgets an `await` leaves calls
 * behind, which fail when the page is closed. That is no reason to end everything else.
 */
export function isLateCall(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isPlaywright = /^[a-z]+(?:\.[\w$]+)+: /i.test(error.message);
  const isOver = error.name === 'TimeoutError' || /\bclosed\b|\bcrashed\b/i.test(error.message);
  return isPlaywright && isOver;
}

/** For the person who wrote the code. */
export function lateCallLine(error: unknown): string {
  const [first = ''] = String((error as Error).message).split('\n', 1);
  return `A call in inBrowser was not awaited and failed after the page was read: ${first}`;
}
