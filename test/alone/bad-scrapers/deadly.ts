import type { Page, Tools } from 'webfarer';

/** One page ends the process, as the machine does with one that takes too much memory: without a last word. */
export function onPage(page: Page, { follow }: Tools): void {
  if (page.url.endsWith('/p/2')) process.kill(process.pid, 'SIGKILL');
  follow(page.links);
}
