import type { Page } from 'playwright-core';

/** As a person would, by what the picture shows: the form of the members' site stands at the top of its page. */
export async function logInAtView(page: Page, password: string): Promise<void> {
  await page.getByAltText('The page: Log in').waitFor();
  await page.locator('#cover').waitFor({ state: 'hidden' });
  // From then on the picture is as large as its place.
  const isFull = `document.querySelector('#picture').naturalWidth === document.querySelector('#stage').clientWidth`;
  while (!(await page.evaluate(isFull))) await page.waitForTimeout(20);
  const stage = await page.locator('#stage').boundingBox();
  await page.mouse.click((stage?.x ?? 0) + 120, (stage?.y ?? 0) + 54);
  await page.keyboard.type('alice');
  await page.keyboard.press('Tab');
  await page.evaluate(`{
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', ${JSON.stringify(password)});
    const pasted = new ClipboardEvent('paste', { clipboardData, cancelable: true });
    document.querySelector('#keys').dispatchEvent(pasted);
  }`);
  await page.keyboard.press('Enter');
  await page.locator('#address', { hasText: /^[^#]*:\d+\/$/ }).waitFor();
}
