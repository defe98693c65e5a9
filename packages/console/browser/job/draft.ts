/** A text that was not used yet, kept in the tab so that a look elsewhere does not lose it. */
const key = (of: string): string => `webfarer.draft ${of}`;

export const draftOf = (of: string): string | undefined => sessionStorage.getItem(key(of)) ?? undefined;

export function keepDraft(of: string, text: string | undefined): void {
  try {
    if (text === undefined) sessionStorage.removeItem(key(of));
    else sessionStorage.setItem(key(of), text);
  } catch {
    // The storage of the tab is full: the text is on the screen all the same.
  }
}
