import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { JobInput } from '@webfarer/protocol';
import { unsafePorts } from '@webfarer/protocol/job';
import { readFolder } from '../../packages/coordinator/src/crawl/reading/folder-reader.ts';
import { startBrowserElsewhere } from '../../packages/worker/src/browser/browser-elsewhere.fixture.ts';
import { findBrowser } from '../../packages/worker/src/browser/find-browser.ts';
import { startCrawler, writeJob } from '../prove/lab.ts';
import { browserForms, browserPages, pageOf } from './browser-forms.ts';
import { startCanaries } from './canaries.ts';
import { crawlTargets } from './crawl.ts';
import { everything } from './direct.ts';
import { headerText } from './forms.ts';
import { startNames } from './names.ts';
import { allowedAddress } from './places.ts';
import { changingName } from './rebinding.ts';
import { startStranger } from './stranger.ts';
import { foreignTalk } from './traced-talk.ts';

/** The part of the proof that runs in a network of its own: pages in a browser try to reach what nobody may reach. */
export interface BrowserInsideOptions {
  quick: boolean;
  folder: string;
}

export interface BrowserAttempts {
  cases: number;
  canaryHits: number;
  places: string[];
  /** What processes of the browser said to anybody but the proxy. */
  pastTheProxy: string[];
  /** Connections of the browser to the proxy, as its system calls show them. */
  throughTheProxy: number;
  /** Of another program of the machine that tried to use the proxy while pages were shown: what the web saw of it. */
  strangerHits: number;
  /** How often it was refused. */
  strangerRefused: number;
  /** What else it was told. */
  strangerTold: string[];
  /** Ways that arrived without the guard. */
  controlArrived: string[];
  /** Pages that were shown: with the guard, in a browser that another program started, and without the guard. */
  shown: number;
  shownElsewhere: number;
  controlShown: number;
  trouble: string;
}

const options = JSON.parse(process.argv[2] ?? '{}') as BrowserInsideOptions;
const places = crawlTargets(options.quick).filter((target) => /^https?:/.test(target));
const targets = options.quick ? places.slice(0, 3) : places;
const arrived = new Set<string>();
let strangerHits = 0;
/** Undefined: one place for each way, so that none has to wait for another. */
let shownTargets: readonly string[] | undefined = targets;

const names = await startNames((name, six) =>
  name.endsWith('.lead.test') ? { addresses: [allowedAddress] } : changingName(name, six),
);
const canaries = await startCanaries({
  web: [80, 8080],
  closed: [...unsafePorts].filter((port) => port > 0),
  answer,
});

function answer(request: IncomingMessage, response: ServerResponse, forbidden: boolean): void {
  const path = request.url ?? '/';
  if (path.startsWith('/stranger')) strangerHits += 1;
  if (forbidden) {
    const form = /by-([a-z-]+)/.exec(path)?.[1];
    if (form !== undefined) arrived.add(form);
    return void response.writeHead(200, { 'access-control-allow-origin': '*' }).end();
  }
  const [, f] = /^f(\d+)\.lead\.test/.exec(request.headers.host ?? '') ?? [];
  const forms = browserPages[Number(f)]?.flatMap((at) => browserForms[at] ?? []);
  const to = /^\/to\?(.*)$/.exec(path)?.[1];
  if (path === '/robots.txt') response.writeHead(404).end();
  else if (to !== undefined) response.writeHead(302, { location: headerText(decodeURIComponent(to)) }).end();
  else if (path.startsWith('/worker.js')) {
    const script = `const to = decodeURIComponent(location.search.slice(1)); fetch(to, { mode: 'no-cors' });`;
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
  } else if (path.startsWith('/with?')) {
    const [name, value] = JSON.parse(decodeURIComponent(path.slice('/with?'.length))) as [string, string];
    response.writeHead(200, { 'content-type': 'text/html', [name]: headerText(value) }).end(framed);
  } else if (forms && path === '/')
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(pageOf(forms, (form) => shownTargets ?? [`http://127.0.1.${browserForms.indexOf(form)}/FORM`]));
  else response.writeHead(404).end();
}

/** A policy that forbids pictures reports this one. */
const framed = '<img src="/x.png">';

/** Tries of a way. */
const rounds = 3;

/** A browser whose system calls are written down, in a file for each start. */
function tracedBrowser(): { path: string; logs: string } {
  const path = join(options.folder, 'traced-browser');
  const logs = join(options.folder, 'calls');
  mkdirSync(logs);
  const calls = 'trace=connect,sendto,sendmsg,sendmmsg';
  writeFileSync(
    path,
    `#!/bin/sh\nexec strace -f --seccomp-bpf -qq -yy -e ${calls} -o ${logs}/$$ ${findBrowser()} "$@"\n`,
  );
  chmodSync(path, 0o755);
  return { path, logs };
}

async function crawl(name: string, pages: number[], allowPrivate: string[], env: Record<string, string>) {
  const file = join(options.folder, `${name}.json`);
  const job: JobInput = {
    name: 'browser',
    seeds: pages.map((f) => `http://f${f}.lead.test/`),
    contact: 'https://lab.test/crawler',
    scope: { stay: 'host' },
    render: 'always',
    politeness: { gap: '1ms', slowFactor: 0, connections: 8 },
    robots: { giveUpAfter: '100ms' },
    limits: { minFree: '50MB' },
    fetch: { allowPrivate, timeout: '20s', retries: { count: 0, backoff: '10ms', deadAfter: 1 } },
    save: [{ none: {} }],
  };
  await writeJob(file, job);
  const out = join(options.folder, `${name}.crawl`);
  const crawler = startCrawler(file, out, { env });
  const code = await crawler.ended;
  if (code !== 0) return { shown: new Set<number>(), trouble: `${code}: ${crawler.output().slice(-1_000)}` };
  const reader = await readFolder(out);
  const shown = new Set<number>();
  for await (const { url, rendered, reason, detail } of reader.results.records(reader.crawl)) {
    // A page that leaves itself is a redirect.
    if (rendered || reason === 'redirect') shown.add(Number(/f(\d+)/.exec(url)?.[1]));
    else console.error(`${name}: ${url} ${reason} ${detail}`);
  }
  await reader.close();
  return { shown, trouble: '' };
}

await canaries.hits();
const traced = tracedBrowser();
let trouble = '';
/** A traced browser is slow: what could not be shown in its time is shown again. */
async function showAll(name: string, browser: string): Promise<Set<number>> {
  const done = new Set<number>();
  for (let round = 0; round < rounds && done.size < browserPages.length; round++) {
    const pages = [...browserPages.keys()].filter((f) => !done.has(f));
    const guarded = await crawl(`${name}-${round}`, pages, [], { WEBFARER_BROWSER: browser });
    for (const f of guarded.shown) done.add(f);
    trouble ||= guarded.trouble;
  }
  return done;
}

const stranger = startStranger('f0.lead.test');
const shown = await showAll('guarded', traced.path);
const told = await stranger.stop();
const elsewhere = await startBrowserElsewhere({ program: traced.path });
const shownElsewhere = await showAll('elsewhere', elsewhere.url);
await elsewhere.kill();
const canaryHits = await canaries.hits();
const reachedPlaces = canaries.places();
const calls = readdirSync(traced.logs).map((name) => readFileSync(join(traced.logs, name), 'utf8'));
const talk = foreignTalk(calls.join('\n'));
// Without the guard one place is enough: it is the ways that must be seen to lead there.
shownTargets = undefined;
arrived.clear();
let controlShown = 0;
// On a busy machine a page may not get that far in its time, so what has not arrived tries again.
for (let round = 0; round < rounds; round++) {
  const isMissing = (at: number) => {
    const { name = '', arrives } = browserForms[at] ?? {};
    return arrives && !arrived.has(name);
  };
  const pages = [...browserPages.keys()].filter((f) => browserPages[f]?.some(isMissing));
  if (pages.length === 0) break;
  const open = await crawl(`open-${round}`, pages, everything, {});
  controlShown += open.shown.size;
  trouble ||= open.trouble;
}
const attempts: BrowserAttempts = {
  cases: browserForms.length * targets.length * 2,
  canaryHits,
  places: reachedPlaces,
  pastTheProxy: talk.foreign,
  throughTheProxy: talk.own,
  strangerHits,
  strangerRefused: told.refused,
  strangerTold: told.other,
  controlArrived: [...arrived].toSorted(),
  shown: shown.size,
  shownElsewhere: shownElsewhere.size,
  controlShown,
  trouble,
};
await canaries.stop();
await names.stop();
process.stdout.write(JSON.stringify(attempts));
process.exit(0);
