/** What Windows and macOS make of names, as a table of its own: nothing here is shared with the product. */
const devices = [
  'CON',
  'PRN',
  'AUX',
  'NUL',
  'CONIN$',
  'CONOUT$',
  'CLOCK$',
  ...['COM', 'LPT'].flatMap((word) => '0123456789\u00b9\u00b2\u00b3'.split('').map((n) => word + n)),
];
const forbidden = /[\u0000-\u001f<>:"|?*\\\u007f]/;
const longestPart = 255;
const longestPath = 240;

/** Everything that is wrong with the names of a folder on some system, in words. */
export function nameProblems(paths: readonly string[]): string[] {
  const problems: string[] = [];
  const seen = new Map<string, string>();
  for (const path of paths) {
    if (Buffer.byteLength(path) > longestPath) problems.push(`${path}: longer than ${longestPath} bytes`);
    const parts = path.split('/');
    for (const [i, part] of parts.entries()) {
      const stem = part.split('.')[0]?.trim().toUpperCase() ?? '';
      if (devices.includes(stem)) problems.push(`${path}: ${part} is a device`);
      if (forbidden.test(part)) problems.push(`${path}: ${part} has a character that is not allowed`);
      if (/[. ]$/.test(part)) problems.push(`${path}: ${part} ends in a dot or a space`);
      if (part === '' || part === '..' || part.startsWith('.'))
        problems.push(`${path}: ${part} is hidden or empty`);
      if (Buffer.byteLength(part) > longestPart || part.length > longestPart)
        problems.push(`${path}: a part is too long`);
      const whole = parts.slice(0, i + 1).join('/');
      const key = whole.normalize('NFD').toUpperCase().normalize('NFD').toLowerCase();
      const isFile = i === parts.length - 1;
      const mine = `${isFile ? 'file' : 'folder'} ${whole}`;
      const other = seen.get(key);
      if (other !== undefined && (isFile || other !== mine)) problems.push(`${mine} is ${other} elsewhere`);
      seen.set(key, mine);
    }
  }
  return problems;
}
