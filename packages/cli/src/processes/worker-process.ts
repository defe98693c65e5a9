import { lockFolder, workerId } from '@webfarer/coordinator';
import { type CoordinatorLink, type CrawlId, systemClock } from '@webfarer/protocol';
import {
  type CookieJar,
  createContext,
  createCookieJar,
  createEgress,
  createKnownOffers,
  createNetworkWatch,
  createWorker,
  type Names,
  type Saver,
} from '@webfarer/worker';
import type { ChildCalls, CookiesSet, ParentCalls, WorkerLook, WorkerTask, Written } from './calls.ts';
import { packReports } from './report-pack.ts';
import { createWire, type Port, sentError, type Wire } from './wire.ts';

interface Opened extends Omit<ChildCalls, 'open' | 'look'> {
  look(): WorkerLook;
}

/** The other end of a crew: the whole pipeline of one process, told what to do through the port. */
export function serveWorker(port: Port): void {
  let opening: Promise<Opened> | undefined;
  /** What comes while it is being opened is done right after, in order. */
  async function opened(): Promise<Opened> {
    if (!opening) throw new Error('asked before it was opened');
    return await opening;
  }
  const calls: ChildCalls = {
    async open(task) {
      opening = openWorker(task, wire);
      return (await opening).look().written;
    },
    start: async () => (await opened()).start(),
    release: async () => (await opened()).release(),
    moreDue: async () => (await opened()).moreDue(),
    cookiesSet: async (set) => (await opened()).cookiesSet(set),
    look: async () => (await opened()).look(),
    stop: async (how) => await (await opened()).stop(how),
  };
  const wire: Wire<ParentCalls> = createWire<ParentCalls>(port, { ...calls });
}

async function openWorker(task: WorkerTask, wire: Wire<ParentCalls>): Promise<Opened> {
  const { crawl, job, folder, ca } = task;
  const clock = systemClock();
  // Held until the process ends, however it ends: whoever comes next waits for it.
  lockFolder(folder, task.process);
  const cookies = task.cookies === undefined ? undefined : sharedJar(createCookieJar(task.cookies));
  const context = await createContext({ ...task, clock, cookies: cookies?.jar, hooks: {}, openNames });
  const fetch = createEgress({ clock, dns: job.fetch.dns.length > 0 ? job.fetch.dns : undefined, ca });
  const network = createNetworkWatch({ clock, egress: fetch, allowPrivate: job.fetch.allowPrivate });
  const worker = createWorker({
    random: Math.random,
    id: workerId(task.member, task.process),
    link: linkOver(wire, () => cookies?.takeNew() ?? []),
    clock,
    crawl: (id: CrawlId) => (id === crawl ? { context, fetch, network } : undefined),
    connections: job.politeness.connections,
    urlsPerHost: () => task.urlsPerHost,
    folder,
    minFreeBytes: () => job.limits.minFreeBytes,
    failed: (error) => wire.tell('failed', sentError(error)),
    pauseChanged: (pause) => wire.tell('pauseChanged', pause),
  });
  const written = () => writtenBy(context.savers);
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    for (const saver of context.savers) await saver.stop();
    await fetch.close();
  }

  async function openNames(file: string): Promise<Names> {
    return {
      claim: (wanted, url) => wire.call('claimName', { file, wanted, url }),
      sync: () => wire.call('syncNames', file),
      close: () => Promise.resolve(),
    };
  }

  return {
    start: () => worker.start(),
    release: () => worker.release(undefined),
    moreDue: () => worker.wake(),
    cookiesSet: (set) => cookies?.take(set),
    look: () => ({ inFlight: worker.inFlight, waiting: worker.waiting().slice(0, 3), written: written() }),
    async stop(how) {
      await worker.stop(how);
      await (closing ??= close());
      return written();
    },
  };
}

function linkOver(wire: Wire<ParentCalls>, newCookies: () => CookiesSet[]): CoordinatorLink {
  const known = createKnownOffers();
  return {
    lease: (request) => wire.call('lease', request),
    leaseHost: (request) => wire.call('leaseHost', request),
    robots: (origin) => wire.call('robots', origin),
    previous: (question) => wire.call('previous', question),
    renew: (leases) => wire.call('renew', leases),
    async report(reports) {
      const set = newCookies();
      if (set.length > 0) wire.tell('cookiesSet', set);
      return await known.report(reports, (trimmed) => wire.call('report', packReports(trimmed)));
    },
  };
}

/** A jar that remembers what this process put in, for the others. */
function sharedJar(own: CookieJar) {
  let news: CookiesSet[] = [];
  const jar: CookieJar = {
    header: (url) => own.header(url),
    store(url, lines) {
      own.store(url, lines);
      news.push({ url, lines });
    },
    load: (cookies) => own.load(cookies),
    save: () => own.save(),
    get version() {
      return own.version;
    },
  };
  return {
    jar,
    take(set: CookiesSet[]): void {
      for (const { url, lines } of set) own.store(url, lines);
    },
    takeNew(): CookiesSet[] {
      const taken = news;
      news = [];
      return taken;
    },
  };
}

function writtenBy(savers: readonly Saver[]): Written {
  const sum = { files: 0, bytes: 0 };
  for (const saver of savers) {
    const { files, bytes } = saver.written();
    sum.files += files;
    sum.bytes += bytes;
  }
  return sum;
}
