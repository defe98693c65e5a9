import { type NumberMeaning, numberTable, stateTable } from '@webfarer/protocol/numbers';
import { code, generated, table } from './markdown.ts';

/** What each number and state of a crawl means, from the table that every surface reads. */
export function numbersPage(): string {
  return [
    generated,
    '# Numbers and states',
    'Terminal, console, report, API and metrics show the same numbers under the same definitions. `npm run prove -- numbers` compares those of API, commands, live view, report and metrics with the log of the sites that were crawled; `npm run prove -- console` compares those of the console with the API.',
    '## Numbers',
    table(
      ['number', 'word', 'unit', 'means'],
      Object.entries<NumberMeaning>(numberTable).map(([name, { words, unit, means }]) => [
        code(name),
        words.en,
        unit,
        means,
      ]),
    ),
    'known = queued + leased + done + failed + refused, at every moment. Of a crawl that nobody works on, what was leased is shown as queued.',
    'A 404 is an answer, so its URL is **done**, and it is a **broken link**. Both are said: the count of done URLs stands beside that of its error answers, and `webfarer report --broken` lists them with those that failed and those that redirect in a circle.',
    '## States',
    'The API has the state that was ordered (`running`, `paused`, `stopped`) or how the crawl ended (`finished`, `limited`), and why it makes no progress in `progress.stall` and `progress.pause`. From these follows what a person is shown:',
    table(
      ['state', 'word', 'means'],
      Object.entries(stateTable).map(([name, { words, means }]) => [code(name), words.en, means]),
    ),
  ]
    .join('\n\n')
    .concat('\n');
}
