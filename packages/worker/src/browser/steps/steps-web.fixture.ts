import { systemClock, type Url } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { hostOf } from '@webfarer/protocol/url';
import { stepChooser } from '../../crawls/step-chooser.ts';
import type { BrowserAnswer, BrowserRequest } from '../../egress/browser-proxy.ts';
import { findBrowser } from '../find-browser.ts';
import { createRenderer } from '../renderer.ts';
import type { RenderRequest } from '../rendering.ts';

/** What pages of a made-up site answer, by method and path; by default HTML. */
export type Site = Record<string, string | { type: string; body: string } | undefined>;

const origin = 'http://shop.test';

/** A browser, and sites whose log says what it asked for. */
export function openBrowser() {
  const executablePath = findBrowser();
  if (executablePath === undefined) return undefined;
  const renderer = createRenderer({
    clock: systemClock(),
    place: { kind: 'program', path: executablePath },
    mostPages: 2,
    pagesPerBrowser: 100,
    memory: { process: 2 ** 30, tree: 2 ** 32 },
  });

  function open(site: Site) {
    const log: string[] = [];
    const session = renderer.open({
      userAgent: 'webfarer/0 (+https://lab.test)',
      state: undefined,
      load(request) {
        const line = lineOf(request);
        if (!line.endsWith('/favicon.ico')) log.push(line);
        return Promise.resolve(answerOf(site[line] ?? site[line.split(' ', 2).join(' ')]));
      },
      refused: () => {},
    });
    /** Shows a page with steps as a job file writes them. */
    async function show(path: string, steps: unknown[], changes: Partial<RenderRequest> = {}) {
      const url = `${origin}${path}` as Url;
      const rules = steps.length > 0 ? [{ do: steps }] : [];
      const job = resolveJob({ seeds: [origin], render: 'auto', steps: rules });
      return await session.render({
        url,
        main: answerOf(site[`GET ${path}`]) as BrowserAnswer,
        timeoutMs: 60_000,
        quietMs: 300,
        steps: stepChooser({ rules: job.steps, seedHosts: [hostOf(url)], typedText: () => undefined })(url),
        act: undefined,
        signal: new AbortController().signal,
        begins: () => undefined,
        pictures: [],
        ...changes,
      });
    }
    return { show, log, close: () => session.close() };
  }

  return { open, close: () => renderer.close() };
}

/** `GET /path`, `POST /path body` */
function lineOf({ method, url, body }: BrowserRequest): string {
  const path = url.startsWith(origin) ? url.slice(origin.length) : url;
  return [method, path, ...(body.length > 0 ? [body.toString()] : [])].join(' ');
}

function answerOf(content: Site[string]): BrowserAnswer | undefined {
  if (content === undefined) return undefined;
  const { type, body } = typeof content === 'string' ? { type: 'text/html', body: content } : content;
  return {
    status: 200,
    statusText: 'OK',
    headers: [['Content-Type', type]],
    body: Buffer.from(body),
    cut: false,
  };
}
