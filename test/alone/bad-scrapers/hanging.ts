/** Never comes to an end. */
export function onPage(): Promise<void> {
  return new Promise(() => undefined);
}
