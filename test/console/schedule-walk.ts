import { expectWithin } from './expect-within.ts';
import { hostileStrings } from './hostile-strings.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

type Page = Visitor['page'];

/** Creates a schedule, compares its ten runs with the API, pauses and deletes it. */
export async function useSchedules(visitor: Visitor, { api, url }: World): Promise<string[]> {
  const { page } = visitor;
  const wrong: string[] = [];
  await page.goto(`${url}/crawls/press.example/job`);
  await page.getByRole('button', { name: 'Schedule it' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Every second Monday');
  await page.getByRole('combobox', { name: 'It runs' }).selectOption('cron');
  await page.getByRole('textbox', { name: 'Cron expression' }).fill('0 6 * *');
  wrong.push(
    ...(await expectWithin(
      page.getByText('cron expression has 5 fields').waitFor(),
      'a wrong cron is not told',
    )),
  );
  await page.getByRole('textbox', { name: 'Cron expression' }).fill('30 6 * * 1');
  const times = page.locator('.next-runs time');
  await times.nth(9).waitFor();
  await page.getByRole('button', { name: 'Create schedule' }).click();
  const params = { schedule: 'every-second-monday' };
  await page.waitForURL(`${url}/schedules/${params.schedule}`);
  // Of the screen that comes, not of the form that goes.
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await times.nth(9).waitFor();
  const { instants } = await api.previewSchedule({ params, query: { count: 10 } });
  const [shown, right] = [
    await times.evaluateAll((all) => all.map((time) => time.getAttribute('datetime'))),
    instants.map(({ startsUtc }) => new Date(startsUtc).toISOString()),
  ];
  if (shown.join() !== right.join()) wrong.push(`the runs are shown as ${shown.join()}, not ${right.join()}`);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  if ((await api.getSchedule({ params })).schedule.enabled) wrong.push('Pause does not pause a schedule');
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.waitForURL(`${url}/schedules`);
  const { items } = await api.listSchedules({ query: {} });
  if (items.some(({ id }) => id === params.schedule)) wrong.push('Delete does not delete a schedule');
  await api.putSchedule({
    params: { schedule: 'museum-weekly' },
    body: {
      schedule: {
        name: 'The museum, weekly',
        when: { cron: '0 6 * * 1' },
        timeZone: 'Europe/Paris',
        run: { job: '# as agreed with the museum\nseeds:\n  - museum.example\nlimits:\n  pages: 500\n' },
      },
    },
  });
  return wrong;
}

/** Texts that would run as code, as the names and jobs of schedules. */
export async function showHostileSchedules(
  { page }: Visitor,
  { api, url }: World,
  judge: (where: string) => Promise<void>,
): Promise<void> {
  for (const [n, text] of hostileStrings.slice(0, 24).entries())
    await api.putSchedule({
      params: { schedule: `hostile-${n}` },
      body: {
        schedule: {
          name: text.slice(0, 200),
          when: { every: n + 1, unit: 'years' },
          run: { job: { seeds: ['http://hostile.example/'], labels: { [text.slice(0, 90)]: '/x' } } },
          enabled: false,
        },
      },
    });
  await page.goto(`${url}/schedules`);
  await page.locator('table.schedules tbody tr').nth(23).waitFor();
  await judge('schedules');
  for (const n of [0, 13]) {
    await page.goto(`${url}/schedules/hostile-${n}?edit=true`);
    await page.getByRole('textbox', { name: 'Name' }).waitFor();
    await judge(`schedule ${n}`);
  }
}

export const scheduleScreens: { name: string; path: string; ready: (page: Page) => Promise<void> }[] = [
  {
    name: 'schedules',
    path: '/schedules',
    ready: async (page) => await page.locator('table.schedules tbody tr').first().waitFor(),
  },
  {
    name: 'schedule',
    path: '/schedules/museum-weekly',
    ready: async (page) => await page.locator('.next-runs time').nth(9).waitFor(),
  },
  {
    name: 'schedule-new',
    path: '/schedules?create=true',
    ready: async (page) => await page.locator('.next-runs time').nth(9).waitFor(),
  },
];
