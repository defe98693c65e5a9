import { copyTable, headRow, valueOf } from './clipboard.ts';
import { firstRows } from './first-rows.ts';

const collator = new Intl.Collator('en', { numeric: true });

/** Makes one table of the report sortable and searchable; without this script every row is simply visible. */
export function startTable(section: Element): void {
  const table = section.querySelector('table');
  const body = table?.tBodies[0];
  const input = section.querySelector('input');
  const shown = section.querySelector('.shown');
  const all = section.querySelector<HTMLElement>('.all');
  if (!table || !body || !input || !shown) return;
  const rows = [...body.rows];
  const texts = rows.map((row) => (row.textContent ?? '').toLowerCase());
  const order = rows.map((_, i) => i);
  let isOpen = false;

  function matching(): number[] {
    const words = (input?.value ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    return order.filter((i) => words.every((word) => texts[i]?.includes(word)));
  }

  function show(): void {
    const match = matching();
    const visible = isOpen ? match.length : Math.min(firstRows, match.length);
    const set = new Set(match.slice(0, visible));
    for (const [i, row] of rows.entries()) row.hidden = !set.has(i);
    if (shown) shown.textContent = countText(visible, match.length, rows.length);
    if (!all) return;
    all.hidden = visible === match.length;
    all.textContent = `Show all ${match.length}`;
  }

  function sort(column: number, isNumber: boolean, down: boolean): void {
    const keys = rows.map((row) => {
      const cell = row.cells[column];
      return cell ? valueOf(cell) : '';
    });
    order.sort((a, b) => {
      const [one, other] = [keys[a] ?? '', keys[b] ?? ''];
      const difference = isNumber ? Number(one) - Number(other) : collator.compare(one, other);
      return (down ? -difference : difference) || a - b;
    });
    for (const i of order) {
      const row = rows[i];
      if (row) body?.append(row);
    }
    show();
  }

  const head = headRow(table);
  for (const [column, cell] of head.entries()) {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...cell.childNodes);
    cell.append(button);
    button.addEventListener('click', () => {
      const isNumber = cell.classList.contains('num');
      const now = cell.getAttribute('aria-sort');
      const down = now ? now === 'ascending' : isNumber;
      for (const other of head) other.removeAttribute('aria-sort');
      cell.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      sort(column, isNumber, down);
    });
  }
  input.addEventListener('input', show);
  all?.addEventListener('click', () => {
    isOpen = true;
    show();
  });
  const csv = section.querySelector('.csv');
  csv?.addEventListener('click', () => {
    copyTable(
      csv,
      table,
      matching().flatMap((i) => rows[i] ?? []),
    );
  });
  show();
}

function countText(visible: number, matching: number, all: number): string {
  if (visible === all) return `${all} ${all === 1 ? 'row' : 'rows'}`;
  return `${visible} of ${matching} ${matching === all ? 'rows' : 'matching rows'}`;
}
