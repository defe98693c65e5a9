/** Puts the cursor into a field of the screen that is shown next. */
export function focusField(id: string): void {
  requestAnimationFrame(() => document.getElementById(id)?.focus());
}
