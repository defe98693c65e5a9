import type { Budget } from '../markup/budget.ts';
import { figure } from './figure.ts';
import { bytes, count, percent, plural } from '../markup/format.ts';
import { type Html, html } from '../markup/html.ts';
import { barList } from '../page/parts.ts';
import { type Tile, treemap } from '../plot/treemap.ts';
import type { Survey } from '../survey/survey.ts';
import type { Tone } from '../survey/tones.ts';

/** What the pages are made of. */
export function contentFigures(seen: Survey, budget: Budget): Html {
  if (seen.statistics.answers === 0) return html``;
  return html`<div class="grid">${typeFigures(seen, budget)}</div>
<div class="grid three">${[
    shareFigure(seen, budget, { id: 'charset', title: 'Character sets' }),
    shareFigure(seen, budget, { id: 'languages', title: 'Languages' }),
    shareFigure(seen, budget, { id: 'tlds', title: 'Top-level domains' }),
    shareFigure(seen, budget, { id: 'servers', title: 'Server software' }),
    shareFigure(seen, budget, { id: 'tls', title: 'TLS' }),
    shareFigure(seen, budget, { id: 'sites', title: 'Sites' }),
  ]}</div>
`;
}

interface TypeRow {
  detected: string;
  urls: number;
  bytes: number;
  /** Of them, those that the server called something else. */
  otherUrls: number;
  otherBytes: number;
}

function typeFigures(seen: Survey, budget: Budget): Html[] {
  const pairs = seen.types.sorted().map((row) => {
    const [detected = '', served = ''] = row.key.split('\n');
    return { ...row, detected, served };
  });
  const types = new Map<string, TypeRow>();
  for (const { detected, served, urls, bytes: size } of pairs) {
    const row = types.get(detected) ?? { detected, urls: 0, bytes: 0, otherUrls: 0, otherBytes: 0 };
    types.set(detected, row);
    row.urls += urls;
    row.bytes += size;
    if (served !== detected) row.otherUrls += urls;
    if (served !== detected) row.otherBytes += size;
  }
  const rows = [...types.values()];
  const wrong = rows.reduce((sum, row) => sum + row.otherUrls, 0);
  const tile = (row: TypeRow, value: number, other: number, figures: string): Tile => ({
    label: row.detected,
    figure: figures,
    words: `${row.detected}: ${plural(row.urls, 'URL')}, ${bytes(row.bytes)}${row.otherUrls > 0 ? `; ${count(row.otherUrls)} served as something else` : ''}`,
    value,
    tone: typeTone(row.detected),
    hatched: value > 0 ? other / value : 0,
  });
  const data = {
    head: ['by its bytes', 'as served', 'urls', 'bytes'],
    rows: pairs.map((pair) => [pair.detected, pair.served, pair.urls, pair.bytes]),
  };
  const lead = `What the bytes look like; ${wrong === 0 ? 'servers call all of it the same' : `dark: ${plural(wrong, 'URL')} that servers call something else`}.`;
  return [
    figure(
      {
        id: 'types',
        title: 'Content types by number',
        lead,
        picture: treemap(
          'Content types by number of URLs',
          rows.map((row) => tile(row, row.urls, row.otherUrls, count(row.urls))),
        ),
        data,
      },
      budget,
    ),
    figure(
      {
        id: 'type-bytes',
        title: 'Content types by size',
        lead: 'The same by bytes on the wire.',
        picture: treemap(
          'Content types by bytes',
          rows.map((row) => tile(row, row.bytes, row.otherBytes, bytes(row.bytes))),
        ),
        data,
      },
      budget,
    ),
  ];
}

const typeTones: [RegExp, Tone][] = [
  [/html/, 'c0'],
  [/^image\//, 'c1'],
  [/pdf|word|document|epub/, 'c3'],
  [/^video\/|^audio\//, 'c2'],
  [/json|xml/, 'c4'],
  [/script|css/, 'c5'],
  [/^text\//, 'c6'],
];

function typeTone(mime: string): Tone {
  return typeTones.find(([pattern]) => pattern.test(mime))?.[1] ?? 'c7';
}

function shareFigure(
  { statistics }: Survey,
  budget: Budget,
  { id, title }: { id: string; title: string },
): Html {
  const rows = statistics.rows(id);
  const all = rows.reduce((sum, row) => sum + row.urls, 0);
  return figure(
    {
      id: `share-${id}`,
      title,
      picture:
        rows.length === 0
          ? html`<p class="none">Nothing known.</p>`
          : barList(
              rows.map(({ key, urls }) => ({ label: key, value: urls })),
              // The figures are shares of all, and so are the bars.
              { max: 6, show: (n) => percent(n, all), whole: all },
            ),
      data: {
        head: [id, 'urls', 'pages', 'bytes'],
        rows: rows.map((row) => [row.key, row.urls, row.pages, row.bytes]),
      },
    },
    budget,
  );
}
