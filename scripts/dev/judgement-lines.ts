import { styleText } from 'node:util';
import { holds, type Judgement } from '../../test/judge/judge.ts';

/** What the web's own log says of a crawl, for a person: all must be zero but the requests made again. */
export function judgementLines(judgement: Judgement): string[] {
  const { expected, recorded, lost, extra, duplicates, disallowed, gapViolations, repeats } = judgement;
  const good = holds(judgement, { repeats });
  const verdict = good ? styleText('green', '✓ all as it must be') : styleText('red', '✗ something is wrong');
  const figures = { lost, extra, twice: duplicates, disallowed, 'gap violations': gapViolations };
  const parts = Object.entries(figures).map(
    ([name, n]) => `${name} ${styleText(n === 0 ? 'green' : 'red', String(n))}`,
  );
  return [
    '',
    `${styleText('bold', "judged by the web's own log")}   recorded ${recorded} of ${expected}   ${verdict}`,
    parts.join('   '),
    styleText('dim', `requests made again, because something died under them: ${repeats}`),
  ];
}
