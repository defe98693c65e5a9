import { hostileStrings } from './hostile-strings.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

type Page = Visitor['page'];

/** Writes a policy and its next version, reads what changed, and stops offering it. */
export async function usePolicies({ page }: Visitor, { api, url }: World): Promise<string[]> {
  const wrong: string[] = [];
  const params = { policy: 'gentle' };
  const editor = page.getByRole('textbox', { name: 'Policy as YAML' });
  await page.goto(`${url}/policies?create=true`);
  await page.getByRole('textbox', { name: 'Name' }).fill(params.policy);
  await editor.fill('seeds: [a.example]\n');
  await page.locator('.yaml-problems li').first().waitFor();
  if (await page.getByRole('button', { name: 'Create policy' }).isEnabled())
    wrong.push('a policy may have seeds');
  await editor.fill('politeness:\n  gap: 2s\n');
  await page.getByRole('button', { name: 'Create policy' }).click();
  await page.waitForURL(`${url}/policies/gentle`);
  await page.getByRole('button', { name: 'Write the next version' }).click();
  await editor.fill('politeness:\n  gap: 3s\nlimits:\n  pages: 800\n');
  await page.getByRole('textbox', { name: 'Note' }).fill('slower, as the hosts asked');
  await page.getByRole('button', { name: 'Save as version 2' }).click();
  await page.getByRole('heading', { name: 'Changed since version 1' }).waitFor();
  const said = (await page.locator('.differences li').allInnerTexts()).map((text) =>
    text.replaceAll(/\s+/g, ' '),
  );
  if (said.join('; ') !== 'politeness.gap 2s → 3s; limits.pages 5,000 → 800')
    wrong.push(`the change is told as "${said.join('; ')}"`);
  const { version, note, policy } = await api.getPolicy({ params, query: {} });
  if (
    version !== 2 ||
    note !== 'slower, as the hosts asked' ||
    JSON.stringify(policy['limits']) !== '{"pages":800}'
  )
    wrong.push(`another policy was saved: ${JSON.stringify(policy)}`);
  await page.getByRole('button', { name: 'Stop offering' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop offering' }).click();
  await page.waitForURL(`${url}/policies`);
  const { items } = await api.listPolicies({ query: {} });
  if (items.some(({ name }) => name === params.policy)) wrong.push('Stop offering keeps offering');
  const museums = { params: { policy: 'museums' } };
  await api.putPolicy({ ...museums, body: { policy: { politeness: { gap: '2s' } }, note: 'as agreed' } });
  await api.putPolicy({
    ...museums,
    body: { policy: { politeness: { gap: '4s' }, limits: { pages: 800 } }, note: 'slower in the summer' },
  });
  return wrong;
}

/** Texts that would run as code, as the names and notes of policies. */
export async function showHostilePolicies(
  { page }: Visitor,
  { api, url }: World,
  judge: (where: string) => Promise<void>,
): Promise<void> {
  const names = hostileStrings.map((text) =>
    text
      .replaceAll(/[@/\p{C}]/gu, '')
      .trim()
      .slice(0, 100),
  );
  for (const [n, name] of names.slice(0, 20).entries()) {
    const note = hostileStrings[n] ?? '';
    const body = { policy: { politeness: { ownHosts: [] } }, note };
    await api.putPolicy({ params: { policy: name }, body }).catch(() => undefined);
  }
  await page.goto(`${url}/policies`);
  await page.locator('table.schedules tbody tr').nth(5).waitFor();
  await judge('policies');
  await page.locator('table.schedules tbody a').first().click();
  await page.locator('.yaml-view').waitFor();
  await judge('policy');
  await page.goto(`${url}/jobs/new`);
  await page.getByRole('combobox', { name: 'Policy' }).waitFor();
  await judge('policies in a form');
}

export const policyScreens: { name: string; path: string; ready: (page: Page) => Promise<void> }[] = [
  {
    name: 'policies',
    path: '/policies',
    ready: async (page) => await page.locator('table.schedules tbody tr').first().waitFor(),
  },
  {
    name: 'policy',
    path: '/policies/museums',
    ready: async (page) => await page.locator('.differences li').first().waitFor(),
  },
];
