import { findBrowser } from '../../packages/worker/src/browser/find-browser.ts';

/** What the others are told: the same pages, the same browser, as many pages at once. */
export interface PeerTask {
  seeds: string[];
  concurrency: number;
  /** It goes no further than the seeds. */
  onlySeeds: boolean;
  folder: string;
}

export function readPeerTask(): PeerTask {
  return JSON.parse(process.argv[2] ?? '{}') as PeerTask;
}

/** The browser that we use too, with the names of the web on this machine. */
export function launchOptions() {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error('there is no browser here');
  return {
    executablePath,
    chromiumSandbox: process.getuid?.() !== 0,
    args: ['--host-resolver-rules=MAP *.browser.test 127.0.0.1', '--disable-background-networking'],
  };
}

/** Runs in the page: the document, and where its links lead, those in shadow trees too. */
export const readPage = `(() => {
  const links = [];
  const gather = (under) => {
    for (const element of under.querySelectorAll('*')) {
      if (element.matches('a[href]')) links.push(element.href);
      else if (element.matches('iframe[src]')) links.push(element.src);
      if (element.shadowRoot) gather(element.shadowRoot);
    }
  };
  gather(document);
  return { html: document.documentElement.outerHTML, links };
})()`;

/** Pages of the same host, as ours has it. */
export function isInside(from: string, to: string): boolean {
  const target = URL.parse(to);
  return target?.protocol === 'http:' && target.host === URL.parse(from)?.host;
}
