import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { bothSchemes, inContext, openOffline, seriousFindings, type Troubles } from './look-at-report.ts';

/** What the explorer is like in a browser that has no network. */
export interface ExplorerLook extends Troubles {
  /** Pages that were searched for, and shown with a way of the right length. */
  ways: number;
  /** Hosts on the map. */
  hosts: number;
}

/** Opens the explorer from disk, light and dark, and walks through both of its views. */
export async function lookAtExplorer(
  browser: Browser,
  file: string,
  { wanted, schemes = bothSchemes }: { wanted: string[]; schemes?: typeof bothSchemes },
): Promise<ExplorerLook> {
  const look: ExplorerLook = { serious: [], requests: [], errors: [], ways: 0, hosts: 0 };
  for (const colorScheme of schemes) {
    await inContext(browser, { colorScheme, viewport: { width: 1280, height: 800 } }, async (context) => {
      const page = await openOffline(context, pathToFileURL(file).href, look);
      look.serious.push(...(await seriousFindings(page, colorScheme)));
      if (colorScheme === 'light') for (const url of wanted) if (await findsWay(page, url)) look.ways++;
      await page.locator('#tab-hosts').click();
      look.hosts = await page.locator('#map circle').count();
      await page.locator('#map circle').first().click({ force: true });
      look.serious.push(...(await seriousFindings(page, `${colorScheme}, hosts`)));
    });
  }
  return look;
}

/** Looks for a page and presses the first that is found: its way must be as long as it says. */
async function findsWay(page: Page, url: string): Promise<boolean> {
  await page.locator('#search').fill(url);
  await page.locator('#details li button').first().click();
  const clicks = Number(await page.locator('#details dd').nth(1).textContent());
  const steps = await page.locator('#details ol li').count();
  const isShown = await page.locator('.node.on').isVisible();
  return isShown && steps === clicks + 1 && (await page.locator('#details h2').textContent()) === url;
}
