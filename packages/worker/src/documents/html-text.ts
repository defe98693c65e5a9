const references: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text that reads as itself in HTML and its attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (char) => references[char] ?? char);
}
