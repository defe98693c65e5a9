import type { Page, Tools } from 'webfarer';

const poison = new Set((process.env.WEBFARER_PROOF_POISON ?? '').split(' '));

/** On a few pages, and as the machine does with a process that eats too much memory: without a last word. */
export function onPage(page: Page, { follow }: Tools): void {
  if (poison.has(page.url)) process.kill(process.pid, 'SIGKILL');
  follow(page.links);
}
