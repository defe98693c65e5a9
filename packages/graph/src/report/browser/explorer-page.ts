import { byId, choices, count, details, element, type View } from './details.ts';
import type { ExplorerData } from './explorer-data.ts';
import { hostsView } from './hosts-view.ts';
import { pathsView } from './paths-view.ts';
import { startTheme } from './theme.ts';

/** The explorer's script: tabs, search and details. It never parses text as HTML. */
const data = JSON.parse(byId('data').textContent ?? '') as ExplorerData;
const search = byId('search') as HTMLInputElement;
const views: Record<string, View> = {
  paths: pathsView(data.pages, data.outcomes),
  hosts: hostsView(data.hosts),
};
const names = Object.keys(views);
let current = 'paths';

function show(name: string): void {
  current = name;
  for (const key of names) {
    const tab = byId(`tab-${key}`);
    tab.setAttribute('aria-selected', String(key === name));
    tab.tabIndex = key === name ? 0 : -1;
    byId(key).hidden = key !== name;
  }
  details.textContent = '';
  views[name]?.intro();
  if (search.value.trim()) find();
}

function find(): void {
  const view = views[current];
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  details.textContent = '';
  if (!view || words.length === 0) return view?.intro();
  const found = view.all().filter((item) => {
    const text = view.label(item).toLowerCase();
    return words.every((word) => text.includes(word));
  });
  element('h2', `${count(found.length)} found`, details);
  choices({ title: '', items: found, label: view.label, choose: view.choose });
}

for (const [i, key] of names.entries()) {
  const tab = byId(`tab-${key}`);
  tab.addEventListener('click', () => show(key));
  tab.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    const other = names[(i + 1) % names.length] ?? key;
    show(other);
    byId(`tab-${other}`).focus();
  });
}
search.addEventListener('input', find);
show('paths');
startTheme();
