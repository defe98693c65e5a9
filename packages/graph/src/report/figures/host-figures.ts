import type { Budget } from '../markup/budget.ts';
import { figure } from './figure.ts';
import { bytes, count } from '../markup/format.ts';
import { type Html, html } from '../markup/html.ts';
import { barList } from '../page/parts.ts';
import type { HostRow, Survey } from '../survey/survey.ts';
import type { Tone } from '../survey/tones.ts';

/** The hosts with most pages, bytes and errors. */
export function hostFigures(seen: Survey, budget: Budget): Html {
  if (seen.hosts.size < 2) return html``;
  const lists: {
    id: string;
    title: string;
    of: (row: HostRow) => number;
    show: (n: number) => string;
    tone: Tone;
  }[] = [
    { id: 'host-pages', title: 'Hosts with most pages', of: (row) => row.pages, show: count, tone: 'done' },
    { id: 'host-bytes', title: 'Hosts with most bytes', of: (row) => row.bytes, show: bytes, tone: 'accent' },
    {
      id: 'host-errors',
      title: 'Hosts with most errors',
      of: (row) => row.errors,
      show: count,
      tone: 'failed',
    },
  ];
  return html`<div class="grid three">${lists.map(({ id, title, of, show, tone }) => {
    const rows = [...seen.hosts.values()]
      .filter((row) => of(row) > 0)
      .sort((a, b) => of(b) - of(a) || (a.host < b.host ? -1 : 1))
      .slice(0, 200);
    const bars = rows.slice(0, 8).map((row) => ({ label: row.host, value: of(row), tone }));
    return figure(
      {
        id,
        title,
        picture: bars.length === 0 ? html`<p class="none">None.</p>` : barList(bars, { show }),
        data: {
          head: ['host', 'pages', 'bytes', 'errors', 'refused'],
          rows: rows.map((row) => [row.host, row.pages, row.bytes, row.errors, row.refused]),
        },
      },
      budget,
    );
  })}</div>
`;
}
