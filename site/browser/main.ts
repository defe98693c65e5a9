import { type Entry, indexOf, type SearchIndex } from '../search.ts';

declare const base: string;

/** The search field, the menu of narrow screens, and light or dark. The passages come as a script, so files open without a server. */
const field = document.querySelector<HTMLInputElement>('#search');
const list = document.querySelector<HTMLElement>('#found');
let index: Promise<SearchIndex> | undefined;

function load(): Promise<SearchIndex> {
  index ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `${base}search-data.js`;
    script.onload = () => resolve(indexOf((globalThis as unknown as { passages: Entry[] }).passages));
    script.onerror = reject;
    document.head.append(script);
  });
  return index;
}

async function show(): Promise<void> {
  if (!field || !list) return;
  const query = field.value;
  const found = query.trim() === '' ? [] : (await load()).find(query, 12);
  if (field.value !== query) return;
  list.replaceChildren(...found.map(({ entry }) => line(entry)));
  list.hidden = query.trim() === '';
  if (query.trim() !== '' && found.length === 0) list.textContent = 'No page has all of these words.';
}

function line([page, title, heading, id, text]: Entry): HTMLElement {
  const link = document.createElement('a');
  link.href = `${base}${page}${id === '' ? '' : `#${id}`}`;
  const name = document.createElement('b');
  name.textContent = id === '' ? title : `${title}: ${heading}`;
  const start = document.createElement('span');
  start.textContent = text.slice(0, 120);
  link.append(name, start);
  return link;
}

field?.addEventListener('focus', () => void load());
field?.addEventListener('input', () => void show());
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== field) {
    event.preventDefault();
    field?.focus();
  }
  if (event.key === 'Escape' && list) list.hidden = true;
  if (event.key === 'Enter' && document.activeElement === field) list?.querySelector('a')?.click();
});
document.querySelector('#menu')?.addEventListener('click', () => document.body.classList.toggle('open'));
document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'center' });
