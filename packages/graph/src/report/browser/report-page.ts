import { copyTable } from './clipboard.ts';
import { startPlots } from './plot-tips.ts';
import { startTable } from './sortable-table.ts';
import { startTheme } from './theme.ts';

/** The report's script. It never parses text as HTML. */
document.documentElement.classList.add('js');
for (const figure of document.querySelectorAll('figure[data-figure]')) {
  const button = figure.querySelector('.csv');
  const table = figure.querySelector('table');
  button?.addEventListener('click', () => {
    if (table) copyTable(button, table, [...(table.tBodies[0]?.rows ?? [])]);
  });
}
for (const section of document.querySelectorAll('section[data-table]')) startTable(section);
startTheme();
startPlots();
