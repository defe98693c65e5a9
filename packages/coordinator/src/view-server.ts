import type { Clock } from '@webfarer/protocol';
import { securityHeaders } from './api/http/browser-guard.ts';
import { openHttpServer } from './api/http/http-server.ts';
import { isNamedByAddress, type ListenAddress } from './api/http/listen-address.ts';
import type { LiveLogin } from './live-login/live-login.ts';
import { createLiveView } from './live-login/live-view.ts';
import { readViewPage } from './live-login/view-page.ts';

/** A port of its own for one live login, for `webfarer login --view`. */
export interface ViewServer {
  readonly address: ListenAddress;
  stop(): Promise<void>;
}

export async function openViewServer({
  listen,
  login,
  clock,
}: {
  listen: ListenAddress;
  login: LiveLogin;
  clock: Clock;
}): Promise<ViewServer> {
  const page = readViewPage();
  const view = createLiveView({ logins: () => [login], clock });
  const server = await openHttpServer({
    listen,
    tls: undefined,
    app(request) {
      const isPage =
        /^https?:\/\/[^/]*\/$/.test(request.url) && isNamedByAddress(request.headers.get('host'));
      const head = { ...securityHeaders, 'content-type': 'text/plain; charset=utf-8' };
      if (!isPage) return Promise.resolve(new Response('not found\n', { status: 404, headers: head }));
      if (request.method !== 'GET')
        return Promise.resolve(
          new Response('GET only\n', { status: 405, headers: { ...head, allow: 'GET' } }),
        );
      const type = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': page.policy };
      return Promise.resolve(new Response(page.html, { headers: { ...head, ...type } }));
    },
    upgrades: {
      '/socket'(request, socket, head) {
        if (isNamedByAddress(request.headers.host)) view.handleUpgrade(request, socket, head);
        else socket.destroy();
      },
    },
  });
  return {
    address: server.address,
    async stop() {
      await view.stop();
      await server.stop();
    },
  };
}
