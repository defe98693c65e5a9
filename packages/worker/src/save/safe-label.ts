/** A crawl's name as the start of a file name: letters, digits, dot and dash, never hidden, never long. */
export function safeLabel(name: string): string {
  const label = name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9.]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 80)
    .replace(/[-.]+$/, '');
  return label || 'crawl';
}
