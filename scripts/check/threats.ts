import type { Finding, Rule } from './project.ts';

const page = 'SECURITY.md';
const row = /^\|\s*(\d+)\s*\|([^|]*)\|([^|]*)\|([^|]*)\|([^|]*)\|\s*$/;
/** How many threats the page answers for; a row that is lost would be noticed by nobody. */
const count = 58;
/** What shows that a defence holds: a proof, a test file, the checks, the build that is made twice. */
const evidence = /`(?:prove [a-z][\w-]*|[\w./-]+\.test\.tsx?|npm run (?:check|release -- --twice))`/g;

/** Each threat has a defence and a test, or says what is missing and why. That the tests exist is a matter of references. */
export const threats: Rule = {
  name: 'each threat has its test',
  reads: ['md'],
  find({ pages }) {
    const text = pages.find(({ path }) => path === page)?.text;
    if (text === undefined) return [];
    const at = (line: number, message: string): Finding => ({ path: page, line, message });
    const rows = text.split('\n').flatMap((line, n) => {
      const [, number, ...cells] = row.exec(line) ?? [];
      return number === undefined ? [] : [{ line: n + 1, number: Number(number), cells }];
    });
    const numbers = rows.map(({ number }) => number);
    const missing = Array.from({ length: count }, (_, n) => n + 1).filter((n) => !numbers.includes(n));
    return [
      ...missing.map((number) => at(1, `has no row of threat ${number}`)),
      ...rows.flatMap(({ line, number, cells }, n) => {
        const fault = faultIn(cells.map((cell) => cell.trim()));
        return [
          ...(numbers.indexOf(number) < n ? [at(line, `threat ${number} has two rows`)] : []),
          ...(fault === undefined ? [] : [at(line, `threat ${number} ${fault}`)]),
        ];
      }),
    ];
  },
};

function faultIn([, defence = '', tests = '', gap = '']: readonly string[]): string | undefined {
  const [state, reason = ''] = gap.split(/:\s+/, 2);
  if (gap !== '' && (!/^(?:partly|open)$/.test(state ?? '') || reason === ''))
    return 'must say "partly: ..." or "open: ...", with the reason';
  if (state === 'open') return undefined;
  if (defence === '' || defence === '—') return 'has no defence and is not called open';
  return [...tests.matchAll(evidence)].length === 0 ? 'names no test' : undefined;
}
