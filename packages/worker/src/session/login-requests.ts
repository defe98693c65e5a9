import type { Url } from '@webfarer/protocol';
import { hostOf } from '@webfarer/protocol/url';
import type { FetchRequest } from '../fetch/fetch.ts';
import { headersFor } from '../page/request.ts';
import type { LoginRequest, LoginWay } from '../site-login/login-way.ts';
import { keepCookies } from './kept-cookies.ts';
import { endMarginMs, type HostSession, ownLease, turnUnder } from './session.ts';
import { loadElsewhere } from './side-host.ts';

/** How long another host of the site may take until it can be asked. */
const elsewhereMs = 60_000;

export function createLoginWay(own: HostSession): LoginWay {
  const { context, parts, held, host, asked } = own;

  function requestOf(url: Url, sent: LoginRequest | undefined): FetchRequest {
    const { fetch } = context.job;
    const proxy = context.proxyFor(url);
    const type = sent?.contentType;
    return {
      url,
      method: sent?.method ?? 'GET',
      headers: headersFor(context, url, type === undefined ? [] : [['Content-Type', type]]),
      ...(sent?.body === undefined ? {} : { content: sent.body }),
      timeoutMs: fetch.timeoutMs,
      maxBytes: fetch.maxBodyBytes,
      maxDecodedBytes: fetch.maxDecodedBytes,
      allowPrivate: fetch.allowPrivate,
      ports: fetch.ports,
      ...(proxy === undefined ? {} : { proxy }),
      signal: parts.drop,
    };
  }

  async function askHome(url: Url, sent: LoginRequest | undefined) {
    if (!(await own.pace())) return 'the host was given back';
    // Cookies may have changed while it waited.
    const turn = turnUnder(ownLease(held, asked), own);
    const answer = await own.session.fetch({ ...requestOf(url, sent), turn });
    if (answer.ok || answer.contacted) {
      host.gapMs = Math.max(asked.gapMs, host.gapMs);
      host.endedAtMs = parts.clock.now() + endMarginMs(host.gapMs);
    }
    if (answer.ok) keepCookies(own, url, answer);
    return answer;
  }

  return {
    async ask(url, sent) {
      const isHome = hostOf(url) === held.lease.host;
      const untilMs = parts.clock.now() + elsewhereMs;
      const answer = isHome
        ? await askHome(url, sent)
        : await loadElsewhere({ url, untilMs, request: requestOf(url, sent), asPerson: true }, own);
      if (typeof answer === 'string') return answer;
      if (!answer.ok) return `${answer.reason}: ${answer.detail}`;
      const body = Buffer.from(answer.body);
      answer.release();
      return { ...answer, body, release: () => undefined };
    },
  };
}
