import type { ApiClient } from '@webfarer/protocol/api';
import type { Locator, Page } from 'playwright-core';
import { coordinatorCount, furnished } from './coordinators.ts';
import { dataScreens } from './data-screens.ts';
import type { ConsoleScreen, Described, Figures, Subject } from './screen.ts';
import { siteOwners } from './site-owners.ts';

const grouped = (n: number): string => n.toLocaleString('en-US');
const numbersIn = (text: string): number[] =>
  (text.match(/\d[\d,]*/g) ?? []).map((digits) => Number(digits.replaceAll(',', '')));
const numbersOf = async (all: Locator): Promise<number[]> =>
  (await all.allInnerTexts()).flatMap((text) => numbersIn(text));
/** As many rows as the API has entries. */
const counted = (
  rows: (page: Page) => Locator,
  list: (api: ApiClient) => Promise<{ items: unknown[] }>,
): Figures => ({
  shown: async (page) => [await rows(page).count()],
  said: async (api) => [(await list(api)).items.length],
});

async function cancelDialog(page: Page): Promise<void> {
  await page.getByRole('dialog').getByText('Cancel', { exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
}

/** Every screen of the console, as a person finds it who looks at one crawl and the network around it. */
export function consoleScreens(subject: Subject): ConsoleScreen[] {
  return [
    ...homeScreens(subject),
    ...crawlScreens(subject),
    ...urlScreens(subject),
    ...dataScreens(subject),
    ...jobScreens(subject),
    ...networkScreens(subject),
    ...adminScreens,
    ownersScreen,
  ].map((screen) => ({ isLive: true, ...screen }));
}

async function balanceOf(api: ApiClient, crawl: string) {
  const { progress } = await api.getCrawl({ params: { crawl } });
  if (!progress) throw new Error(`nothing is known of the progress of ${crawl}`);
  return progress.balance;
}

function homeScreens({ crawl, crawls }: Subject): Described[] {
  const cards = (page: Page) =>
    page
      .locator('.crawl-card .state')
      .nth(Math.min(5, crawls - 1))
      .waitFor();
  return [
    {
      name: 'home',
      path: '/',
      async shows(page) {
        await cards(page);
        await page.getByText(new RegExp(`^${grouped(crawls)} crawls, [\\d,]+ running$`)).waitFor();
      },
      async act(page) {
        await page.getByText('Running', { exact: true }).click();
        await page.getByText(new RegExp(`^[\\d,]+ of ${grouped(crawls)} crawls`)).waitFor();
      },
      figures: {
        shown: (page) =>
          numbersOf(
            page
              .locator('.crawl-card', { has: page.getByRole('link', { name: crawl, exact: true }) })
              .locator('.card-figures span'),
          ),
        async said(api) {
          const { done, failed, refused, known } = await balanceOf(api, crawl);
          return [done + failed + refused, known];
        },
      },
    },
    {
      name: 'search',
      path: '/',
      shows: cards,
      async act(page) {
        await page.getByRole('searchbox').fill(crawl);
        await page.getByText(new RegExp(`^1 of ${grouped(crawls)} crawls`)).waitFor();
      },
    },
  ];
}

function crawlScreens({ crawl, known }: Subject): Described[] {
  return [
    {
      name: 'crawl',
      path: `/crawls/${crawl}`,
      shows: (page) =>
        page
          .locator('.legend dd', { hasText: known === undefined ? /[1-9]/ : grouped(known) })
          .first()
          .waitFor(),
      async act(page) {
        await page.getByRole('button', { name: 'Stop' }).click();
        await cancelDialog(page);
      },
      figures: {
        async shown(page) {
          const all = await numbersOf(page.locator('.legend dd'));
          return [0, 1, 2, 5].map((at) => all[at] ?? -1);
        },
        async said(api) {
          const { done, failed, refused, known: all } = await balanceOf(api, crawl);
          return [done, failed, refused, all];
        },
      },
    },
    {
      name: 'hosts',
      path: `/crawls/${crawl}/hosts`,
      shows: (page) => page.locator('table.hosts tbody tr').nth(2).waitFor(),
      async act(page) {
        await page.locator('table.hosts tbody tr').nth(2).getByRole('button', { name: 'Slow down' }).click();
        await cancelDialog(page);
      },
    },
    {
      name: 'host-map',
      path: `/crawls/${crawl}/hosts?view=map`,
      shows: (page) => page.locator('.heat tbody tr').nth(2).waitFor(),
      async act(page) {
        await page.getByRole('combobox', { name: 'Order' }).selectOption('host');
        await page.waitForURL(/sort=host/);
        await page.locator('.heat tbody tr').nth(2).waitFor();
      },
    },
    {
      name: 'scope',
      path: `/crawls/${crawl}/scope`,
      shows: (page) => page.getByRole('textbox', { name: 'Never these URLs' }).waitFor(),
      async act(page) {
        await page.getByRole('textbox', { name: 'Never these URLs' }).fill('/section-3/**');
        await page
          .getByText(/^((At least )?[\d,]+|No) queued URLs? would be dropped/)
          .first()
          .waitFor();
      },
    },
  ];
}

function urlScreens({ crawl, url }: Subject): Described[] {
  const at = `/crawls/${crawl}`;
  return [
    {
      name: 'urls',
      path: `${at}/urls`,
      shows: (page) => page.locator('[data-row="10"] a').waitFor(),
      async act(page) {
        await page.getByRole('link', { name: /^Done/ }).click();
        await page.locator('[data-row="10"] a').waitFor();
      },
      figures: {
        async shown(page) {
          const all = await numbersOf(page.locator('.tab b'));
          return [0, 3, 4, 5].map((tab) => all[tab] ?? -1);
        },
        async said(api) {
          const { done, failed, refused, known } = await balanceOf(api, crawl);
          return [known, done, failed, refused];
        },
      },
    },
    {
      name: 'url',
      path: `${at}/url?url=${encodeURIComponent(url)}`,
      shows: (page) => page.locator('.two .column').first().waitFor(),
      async act(page) {
        await page.getByRole('link', { name: 'URLs', exact: true }).first().click();
        await page.locator('[data-row="10"] a').waitFor();
      },
      figures: {
        shown: async (page) => [await page.locator('.link-rows li').count()],
        async said(api) {
          const { links } = await api.getUrl({ params: { crawl }, query: { url } });
          return [links.total];
        },
      },
    },
  ];
}

function jobScreens({ crawl }: Subject): Described[] {
  const runs = (page: Page) => page.locator('.next-runs time').nth(9).waitFor();
  const rows = (page: Page) => page.locator('table.schedules tbody tr');
  return [
    {
      name: 'job',
      path: `/crawls/${crawl}/job`,
      shows: (page) => page.locator('.yaml-view').waitFor(),
      async act(page) {
        await page.getByText('Edit as a new crawl').click();
        await page.locator('.job-sides').waitFor();
      },
    },
    {
      name: 'job-new',
      path: '/jobs/new?seed=museum.example',
      shows: (page) => page.locator('.job-sides').waitFor(),
      async act(page) {
        await page.getByRole('textbox', { name: 'Name', exact: true }).fill('another');
        await page.locator('.job-sides').getByText('another').first().waitFor();
      },
    },
    {
      name: 'schedules',
      path: '/schedules',
      shows: (page) => rows(page).first().waitFor(),
      async act(page) {
        await page.getByRole('button', { name: 'New schedule' }).click();
        await runs(page);
      },
      figures: counted(rows, (api) => api.listSchedules({ query: {} })),
    },
    {
      name: 'schedule',
      path: `/schedules/${furnished.schedule}`,
      shows: runs,
      async act(page) {
        await page.getByRole('button', { name: 'Delete' }).click();
        await cancelDialog(page);
      },
    },
    {
      name: 'policies',
      path: '/policies',
      shows: (page) => rows(page).first().waitFor(),
      async act(page) {
        await page.getByRole('link', { name: furnished.policy }).click();
        await page.getByRole('button', { name: 'Write the next version' }).waitFor();
      },
      figures: counted(rows, (api) => api.listPolicies({ query: {} })),
    },
  ];
}

function networkScreens({ workers, workerName }: Subject): Described[] {
  const status = (page: Page) => page.locator('.network .crawl-head [role=status]');
  const accounts = (page: Page) => page.locator('.account');
  return [
    {
      name: 'network',
      path: '/network',
      async shows(page) {
        await status(page)
          .filter({ hasText: `${grouped(workers)} worker` })
          .waitFor();
        await page
          .getByRole('region', { name: 'Stores' })
          .getByRole('article')
          .nth(coordinatorCount - 1)
          .waitFor();
      },
      async act(page) {
        await page.getByRole('searchbox').fill(workerName);
        await page
          .getByText(/^\d+ of /)
          .first()
          .waitFor();
      },
      figures: {
        shown: (page) => numbersOf(status(page)),
        async said(api) {
          const { items } = await api.listCoordinators();
          return [items.length, items.reduce((sum, one) => sum + one.workers, 0)];
        },
      },
    },
    {
      name: 'logins',
      path: '/logins',
      shows: (page) => accounts(page).filter({ hasText: furnished.account }).waitFor(),
      async act(page) {
        await page.keyboard.press('g');
        await page.keyboard.press('n');
        await status(page)
          .filter({ hasText: / worker/ })
          .waitFor();
      },
      figures: counted(accounts, (api) => api.listSiteAccounts()),
    },
  ];
}

const adminPart = (
  show: string,
  { ready, next, figures }: { ready: ConsoleScreen['shows']; next: string; figures?: Figures },
): Described => ({
  name: `admin-${show}`,
  path: `/admin?show=${show}`,
  shows: ready,
  async act(page) {
    const link = page
      .getByRole('navigation', { name: 'Parts of the administration' })
      .getByRole('link', { name: next });
    await link.click();
    await link.and(page.locator('[aria-current=page]')).waitFor();
  },
  ...(figures ? { figures } : {}),
});

const adminScreens: Described[] = [
  adminPart('people', {
    ready: (page) => page.getByText('Nobody is logged in').waitFor(),
    next: 'Tokens',
  }),
  adminPart('tokens', {
    ready: (page) => page.locator('#tokens').waitFor(),
    next: 'Teams',
    figures: counted(
      (page) => page.locator('.admin tbody tr'),
      (api) => api.listTokens({ query: {} }),
    ),
  }),
  adminPart('teams', {
    ready: (page) => page.getByRole('button', { name: `Edit ${furnished.team}` }).waitFor(),
    next: 'Webhooks',
    figures: counted(
      (page) => page.locator('table.teams tbody tr'),
      (api) => api.listTeams({ query: {} }),
    ),
  }),
  adminPart('webhooks', {
    ready: (page) => page.locator('.webhook').first().waitFor(),
    next: 'Audit',
    figures: counted(
      (page) => page.locator('.webhook'),
      (api) => api.listWebhooks({}),
    ),
  }),
  adminPart('audit', {
    ready: (page) => page.locator('table.audit tbody tr').first().waitFor(),
    next: 'People',
  }),
];

const ownersScreen: Described = {
  name: 'owners',
  path: '/owners?host=museum.example',
  isLive: false,
  shows: (page) => page.getByText(siteOwners.name).first().waitFor(),
  async act(page) {
    await page.getByRole('button', { name: 'Get a token' }).click();
    await page.getByText('Put the token on museum.example').waitFor();
  },
};
