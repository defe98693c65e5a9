/** The same question for a shell. What a site chose is quoted, so that no part of it is a command of its own. */
export function explainCommand({ url, crawl, at }: { url: string; crawl: string; at: string }): string {
  return ['webfarer', 'explain', quoted(url), '--at', quoted(at), '--crawl', quoted(crawl)].join(' ');
}

/** As POSIX shells read it: nothing in single quotes means anything. Line ends would still end a pasted command. */
export function quoted(text: string): string {
  const line = text.replaceAll(/[\u0000-\u001f\u007f]/g, '');
  return /^[\w./:@%+=-]+$/.test(line) && !line.startsWith('-') ? line : `'${line.replaceAll("'", `'\\''`)}'`;
}
