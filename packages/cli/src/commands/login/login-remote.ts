import type { LoginWish } from '@webfarer/coordinator/server';
import { WebfarerError } from '@webfarer/protocol';
import type { CliContext } from '../../context/context.ts';
import { asking, reach, type RemoteOptions } from '../remote/remote.ts';

/** How often the coordinator is asked whether the person is done. */
const LOOK_MS = 1_000;

/** The browser runs at a coordinator, which keeps the account for the crawls it fetches itself. Answers what was kept. */
export async function logInAt(wish: LoginWish, options: RemoteOptions, context: CliContext): Promise<string> {
  const { terminal, clock } = context;
  const at = await reach(context, options);
  const { url, as, site, selector, text } = wish;
  const shown = { ...(selector === undefined ? {} : { selector }), ...(text === undefined ? {} : { text }) };
  const opened = await asking(context, at, at.api.openSiteLogin({ body: { url, as, site, ...shown } }));
  const params = { login: opened.id };
  const interrupted = new AbortController();
  const stop = context.onInterrupt(() => interrupted.abort());
  try {
    terminal.out('  A browser runs at the coordinator. Open it in yours:\n');
    terminal.out(`    ${at.url.replace(/\/$/, '')}${opened.view}\n`);
    terminal.out(
      '  The address works once, for 15 minutes. Log in there and press Done; Ctrl-C here cancels.\n',
    );
    for (;;) {
      await clock.sleep(LOOK_MS, interrupted.signal).catch(() => undefined);
      if (interrupted.signal.aborted) await at.api.cancelSiteLogin({ params });
      const { state, text: how } = await at.api.getSiteLogin({ params });
      if (state === 'kept') return how;
      if (state !== 'open')
        throw new WebfarerError(state === 'cancelled' ? 'interrupted' : 'no-browser', how, {
          next: 'Run the same command again to log in.',
        });
    }
  } finally {
    stop();
  }
}
