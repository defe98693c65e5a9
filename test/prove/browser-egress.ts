// watches: packages/worker/src/browser, packages/worker/src/egress
// misses: a way past the address guard for what a page does in a browser
import { join } from 'node:path';
import { inOwnNetwork } from '../install/own-network.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { browserForms, browserPages } from '../ssrf/browser-forms.ts';
import type { BrowserAttempts, BrowserInsideOptions } from '../ssrf/browser-inside.ts';
import { everyAddressIsHere } from '../ssrf/places.ts';
import { workFolder } from './lab.ts';

// ci: rated, because a browser whose calls are traced is slow, and pages have only so much time.

/**
 * Nothing that a page does in the browser reaches an address that the crawler must not reach, and nothing leaves the
 * browser but through the proxy, as its system calls show; also where another program started the browser. Another
 * program of the machine gets nothing from the proxy while pages are shown. Without the guard every way that is let through
 * must be seen to arrive.
 */
export async function prove({ quick }: ProofOptions): Promise<ProofResult> {
  const work = workFolder('browser-egress');
  try {
    const attempts = await inOwnNetwork<BrowserAttempts>({
      program: join(import.meta.dirname, '../ssrf/browser-inside.ts'),
      args: { quick, folder: work.path } satisfies BrowserInsideOptions,
      folder: work.path,
      setUp: everyAddressIsHere,
    });
    const { canaryHits, pastTheProxy, throughTheProxy, controlArrived, shown, shownElsewhere, controlShown } =
      attempts;
    const { strangerHits, strangerRefused, strangerTold, trouble } = attempts;
    const ways = browserForms.filter(({ arrives }) => arrives).map(({ name }) => name);
    const blind = ways.filter((name) => !controlArrived.includes(name));
    const all = browserPages.length;
    return {
      ok:
        canaryHits === 0 &&
        pastTheProxy.length === 0 &&
        throughTheProxy > 0 &&
        strangerHits === 0 &&
        strangerRefused > 0 &&
        strangerTold.length === 0 &&
        blind.length === 0 &&
        shown === all &&
        shownElsewhere === all &&
        controlShown > 0,
      result: {
        sizes: { ways: browserForms.length, pages: all },
        cases: attempts.cases,
        canaryHits,
        places: attempts.places.slice(0, 10),
        pastTheProxy: pastTheProxy.length,
        examples: pastTheProxy.slice(0, 5),
        throughTheProxy,
        strangerHits,
        strangerRefused,
        strangerTold: strangerTold.slice(0, 5),
        shown,
        shownElsewhere,
        controlShown,
        controlArrived: controlArrived.length,
        blind,
        trouble,
      },
    };
  } finally {
    work.remove();
  }
}
