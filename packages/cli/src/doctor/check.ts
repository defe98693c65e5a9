/** One thing that was looked at: fine or not, what was seen, and what to do about it. */
export interface Check {
  name: string;
  ok: boolean;
  text: string;
  next?: string;
}

/** A look that fails by itself is a finding too; it must not keep the others from being made. */
export async function looked(
  name: string,
  look: () => Promise<Omit<Check, 'name'>> | Omit<Check, 'name'>,
  next?: string,
): Promise<Check> {
  try {
    return { name, ...(await look()) };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { name, ok: false, text, ...(next === undefined ? {} : { next }) };
  }
}
