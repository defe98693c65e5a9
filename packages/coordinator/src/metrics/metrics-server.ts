import { type Metrics, metricTextType } from '@webfarer/protocol/metrics';
import { securityHeaders } from '../api/http/browser-guard.ts';
import { openHttpServer } from '../api/http/http-server.ts';
import { isLoopback, isNamedByAddress, type ListenAddress } from '../api/http/listen-address.ts';

/** A port that answers `/metrics` to everyone who reaches it, and nothing else. */
export interface MetricsServer {
  /** With the port that was given, where 0 was asked for. */
  readonly address: ListenAddress;
  stop(): Promise<void>;
}

export async function openMetricsServer(listen: ListenAddress, metrics: Metrics): Promise<MetricsServer> {
  return await openHttpServer({
    listen,
    flag: '--metrics',
    tls: undefined,
    upgrades: {},
    async app(request) {
      const headers = { ...securityHeaders, 'content-type': 'text/plain; charset=utf-8' };
      // A page in a browser of this machine could otherwise read it under a name that leads here.
      if (isLoopback(listen.host) && !isNamedByAddress(request.headers.get('host')))
        return new Response('ask for it by address\n', { status: 403, headers });
      if (!/^https?:\/\/[^/]*\/metrics(?:\?|$)/.test(request.url))
        return new Response('only /metrics is here\n', { status: 404, headers });
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return new Response('GET only\n', { status: 405, headers: { ...headers, allow: 'GET, HEAD' } });
      return new Response(await metrics.scrape(), {
        headers: { ...headers, 'content-type': metricTextType },
      });
    },
  });
}
