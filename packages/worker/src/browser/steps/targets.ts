import type { Locator, Page } from 'playwright-core';

/** Roles that people act on, for names of elements that do not say a role. */
const actedOn = [
  'button',
  'link',
  'textbox',
  'searchbox',
  'combobox',
  'checkbox',
  'radio',
  'switch',
  'tab',
  'menuitem',
  'option',
] as const;
type Role = Parameters<Page['getByRole']>[0];

/** All elements that a name fits: a CSS selector, or the forms that the Recorder of Chrome's DevTools writes. */
export function locate(page: Page, name: string): Locator {
  const [, way, rest = ''] = /^(text|aria|xpath|pierce)\/(.*)$/s.exec(name) ?? [];
  if (way === 'text') return page.getByText(rest);
  if (way === 'xpath') return page.locator(`xpath=${rest}`);
  if (way === 'aria') return byRole(page, rest);
  return page.locator(`css=${way === 'pierce' ? rest : name}`);
}

/** `Sign in`, `Sign in[role="button"]`, `[role="main"]` */
function byRole(page: Page, text: string): Locator {
  const [, name = '', role] = /^(.*?)(?:\[role="([\w-]+)"\])?$/s.exec(text) ?? [];
  const named = name === '' ? {} : { name, exact: true };
  if (role !== undefined) return page.getByRole(role as Role, named);
  const [first, ...others] = actedOn.map((each) => page.getByRole(each, named));
  return others.reduce(
    (all, each) => all.or(each),
    (first as Locator).or(page.getByLabel(name, { exact: true })),
  );
}

/** The first element that can be seen, by the names in their order. Undefined: there is none now. */
export async function firstVisible(page: Page, names: readonly string[]): Promise<Locator | undefined> {
  for (const name of names) {
    const found = locate(page, name).filter({ visible: true });
    if ((await found.count()) > 0) return found.first();
  }
  return undefined;
}
