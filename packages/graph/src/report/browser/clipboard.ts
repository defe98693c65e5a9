const confirmationMs = 2000;

export function cellsOf(row: HTMLTableRowElement): HTMLTableCellElement[] {
  return [...row.cells];
}

/** What a cell is sorted by. */
export function valueOf(cell: HTMLTableCellElement): string {
  if (cell.dataset.v !== undefined) return cell.dataset.v;
  const link = cell.classList.contains('url') ? cell.querySelector('a') : null;
  return link?.getAttribute('href') ?? (cell.textContent ?? '').trim();
}

/** Copies rows as CSV and says on the button how many. */
export function copyTable(button: Element, table: HTMLTableElement, rows: HTMLTableRowElement[]): void {
  const label = button.textContent;
  const head = headRow(table).map((cell) => csvCell((cell.textContent ?? '').trim()));
  const lines = rows.map((row) =>
    cellsOf(row)
      .map((cell) => csvCell(cell.dataset.c ?? valueOf(cell)))
      .join(','),
  );
  void copy(`${[head.join(','), ...lines].join('\r\n')}\r\n`).then(() => {
    button.textContent = `Copied ${lines.length} ${lines.length === 1 ? 'row' : 'rows'}`;
    // allow(time): a page in a browser has no other clock.
    setTimeout(() => {
      button.textContent = label;
    }, confirmationMs);
  });
}

export function headRow(table: HTMLTableElement): HTMLTableCellElement[] {
  const row = table.tHead?.rows[0];
  return row ? cellsOf(row) : [];
}

/** A spreadsheet must take a crawled text for text, never for a formula. */
function csvCell(text: string): string {
  const safe = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copySelection(text);
  }
}

/** Browsers refuse the clipboard API to a page that was opened from a file. */
function copySelection(text: string): void {
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
