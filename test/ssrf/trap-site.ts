import type { IncomingMessage, ServerResponse } from 'node:http';
import { forms } from './forms.ts';

/**
 * Hosts that do nothing but lead elsewhere: `f3-7.lead.test` shows form 3 with target 7. Page forms share a host
 * for all targets (`f3.lead.test/t7`), since a robots.txt or sitemap exists only once on a host.
 */
export interface TrapSite {
  /** Seeds that make a crawl meet every form with every target. */
  seeds(): string[];
  answer(request: IncomingMessage, response: ServerResponse, forbidden: boolean): void;
  cases: number;
  /** Forms by which somebody came to a place nobody may reach. */
  arrived: Set<string>;
}

export function createTrapSite(targets: readonly string[]): TrapSite {
  const arrived = new Set<string>();
  const seeds = forms.flatMap((form, f) =>
    form.at === 'page' ? [`http://f${f}.lead.test/`] : targets.map((_, t) => `http://f${f}-${t}.lead.test/`),
  );

  function answer(request: IncomingMessage, response: ServerResponse, forbidden: boolean): void {
    const path = request.url ?? '/';
    if (forbidden) {
      const form = /[?&/]by-([a-z0-9-]+)/.exec(path)?.[1];
      if (form !== undefined) arrived.add(form);
      return send(response, { body: path.startsWith('/robots.txt') ? '' : 'canary' });
    }
    const [, f, t] = /^f(\d+)(?:-(\d+))?\.lead\.test/.exec(request.headers.host ?? '') ?? [];
    const form = forms[Number(f)];
    if (form === undefined) return send(response, { body: 'somewhere public' });
    const lead = (n: number): void => send(response, form.answer(target(n, form.name)));
    if (form.at === 'page') {
      const page = /^\/t(\d+)$/.exec(path)?.[1];
      if (page !== undefined) return lead(Number(page));
      if (path === '/') return send(response, list(targets.length));
      return send(response, { status: 404 });
    }
    if (form.at === 'robots' && path === '/robots.txt') return lead(Number(t));
    if (form.at === 'sitemap' && path === '/map') return lead(Number(t));
    const robots = `User-agent: *\nDisallow:\nSitemap: http://${request.headers.host}/map\n`;
    return send(response, { body: path === '/robots.txt' && form.at === 'sitemap' ? robots : '' });
  }

  /** The path tells by which form somebody came; robots.txt keeps its own path. */
  function target(n: number, form: string): string {
    return (targets[n] ?? '').replace('FORM', `by-${form}`);
  }

  return { seeds: () => seeds, answer, cases: forms.length * targets.length, arrived };
}

function list(count: number): { headers: [string, string][]; body: string } {
  const links = Array.from({ length: count }, (_, t) => `<a href="/t${t}">${t}</a>`);
  return { headers: [['Content-Type', 'text/html']], body: links.join('') };
}

function send(
  response: ServerResponse,
  reply: { status?: number; headers?: [string, string][]; body?: string },
): void {
  const body = Buffer.from(reply.body ?? '');
  const headers = reply.headers ?? [['Content-Type', 'text/plain']];
  response.writeHead(reply.status ?? 200, [...headers, ['Content-Length', `${body.length}`]].flat());
  response.end(body);
}
