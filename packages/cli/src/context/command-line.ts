/** Words as a shell would need them to mean the same again. */
export function shellWords(words: readonly string[]): string {
  return words.map(quoted).join(' ');
}

function quoted(word: string): string {
  if (/^[\w@%+=:,./~-]+$/.test(word) && !word.startsWith('~')) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Options that start something new; a command that resumes leaves them out. */
const beginning = new Set(['--fresh', '--recrawl']);

/** The same command, without what would start over. */
export function sameCommand(launcher: string, argv: readonly string[]): string {
  return `${launcher} ${shellWords(argv.filter((word) => !beginning.has(word)))}`.trim();
}

/** The same command with one option set to another value. */
export function withOption(argv: readonly string[], name: string, value: string): string[] {
  const kept: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? '';
    if (word === name) i++;
    else if (!word.startsWith(`${name}=`)) kept.push(word);
  }
  return [...kept.filter((word) => !beginning.has(word)), name, value];
}

/** For options that may be given several times. */
export function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}
