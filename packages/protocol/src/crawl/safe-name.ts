/** A name as a folder: what some system could not store becomes a dash. */
export function safeName(name: string): string {
  return (
    name
      .replace(/[^\p{L}\p{N}._+-]+/gu, '-')
      .replace(/^[.-]+|[.-]+$/g, '')
      .slice(0, 120) || 'crawl'
  );
}
