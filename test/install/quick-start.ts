/** The text between `<!-- name -->` and `<!-- /name -->`, without the fence around it. */
export function fencedBlock(markdown: string, name: string): string {
  const [, between] = markdown.split(`<!-- ${name} -->`);
  const [inside, after] = (between ?? '').split(`<!-- /${name} -->`);
  const [, code] = /^```\w*\n([\s\S]*?)\n```$/.exec((inside ?? '').trim()) ?? [];
  if (after === undefined || code === undefined) throw new Error(`there is no fenced block marked ${name}`);
  return code;
}

/** The commands a person would type, verbatim, comments and all. */
export function quickStart(markdown: string): string[] {
  const lines = fencedBlock(markdown, 'quick-start').split('\n');
  return lines.filter((line) => line.startsWith('npx webfarer '));
}
