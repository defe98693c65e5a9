/** Nothing where it happens in time, else what did not. The deadline is that of the browser's context. */
export async function expectWithin(happens: Promise<unknown>, otherwise: string): Promise<string[]> {
  try {
    await happens;
    return [];
  } catch (error) {
    return [`${otherwise}: ${String(error).split('\n', 1)[0]}`];
  }
}
