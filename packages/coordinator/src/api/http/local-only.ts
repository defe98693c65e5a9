import { WebfarerError } from '@webfarer/protocol';
import { turnAway } from '../../link/sockets.ts';
import { refusal } from './app.ts';
import { securityHeaders } from './browser-guard.ts';
import type { HttpServerOptions } from './http-server.ts';
import { isNamedByAddress } from './listen-address.ts';

type Answers = Pick<HttpServerOptions, 'app' | 'upgrades'>;

const notByName = 'this console answers to the address of this machine, not to names';

/**
 * For a port that only the person at this machine uses: requests must name it by its address. A site elsewhere can make its
 * own name resolve to 127.0.0.1, and to a browser its pages would then be of the same origin.
 */
export function localOnly({ app, upgrades }: Answers): Answers {
  return {
    async app(request, bindings) {
      if (isNamedByAddress(request.headers.get('host'))) return await app(request, bindings);
      const next = 'Open the link that the command printed.';
      const refused = refusal(new WebfarerError('forbidden', notByName, { next }));
      for (const [name, value] of Object.entries(securityHeaders)) refused.headers.set(name, value);
      return refused;
    },
    upgrades: Object.fromEntries(
      Object.entries(upgrades).map(([path, upgrade]): [string, typeof upgrade] => [
        path,
        (request, socket, head) => {
          if (isNamedByAddress(request.headers.host)) upgrade(request, socket, head);
          else turnAway(socket, '403 Forbidden', notByName);
        },
      ]),
    ),
  };
}
