/** Where the content of a refreshing meta leads, and where in it that stands: `5; url='next.html'`. */
export function refreshTarget(content: string): { href: string; start: number; end: number } | undefined {
  const match = /^\s*(?:\d+(?:\.[\d.]*)?|\.\d+)?\s*[;,\s]\s*(?:url\s*=\s*)?(.*)$/is.exec(content);
  const rest = match?.[1];
  if (!rest?.trim()) return undefined;
  const from = content.length - rest.length;
  const quote = rest[0];
  if (quote !== '"' && quote !== "'") return trimmed(content, from, content.length);
  const close = rest.indexOf(quote, 1);
  return trimmed(content, from + 1, close < 0 ? content.length : from + close);
}

function trimmed(content: string, from: number, to: number) {
  const text = content.slice(from, to);
  const href = text.trim();
  if (href === '') return undefined;
  const start = from + text.indexOf(href);
  return { href, start, end: start + href.length };
}
