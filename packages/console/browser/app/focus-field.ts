/** Puts the cursor into a field of the screen that is shown next. */
export function focusField(id: string): void {
  requestAnimationFrame(() => document.getElementById(id)?.focus());
}

/** Puts the cursor into the field that the screen itself searches with; false: it has none. */
export function focusOwnField(): boolean {
  const field = document.querySelector<HTMLElement>('[data-find]');
  field?.focus();
  return field !== null;
}
