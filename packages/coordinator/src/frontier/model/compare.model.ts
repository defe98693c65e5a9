import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type {
  CrawlId,
  Entry,
  HostKey,
  HostLease,
  LeaseReport,
  PageRecord,
  Settlement,
  Url,
  WorkerId,
} from '@webfarer/protocol';
import { addsUp } from '@webfarer/protocol/crawl';
import { hostOf } from '@webfarer/protocol/url';
import { type TestClock, testClock } from '../suite/clock.fixture.ts';
import { type ResultEntry, resultKinds, type Results, type ResultsCursor } from '../../results/results.ts';
import { retryAll } from '../all-steps.ts';
import { forgetAll } from '../forgetting.ts';
import type { Frontier, FrontierCrawl } from '../frontier.ts';
import { erasePlainly, releaseErased } from './erasing.model.ts';
import { forgetPlainly, forgotPlainly, heldFor } from './forgetting.model.ts';
import { limitPlainly, runPlainly } from './limits.model.ts';
import { entryOf, type ModelUrl } from './plain-url.model.ts';
import { FrontierModel } from './plain.model.ts';
import { hostKeys, type ReportPlan, type Step } from './steps.model.ts';

/** A frontier that a model can be compared with. `open` gives an empty one. */
export interface ComparedStore {
  /** Calls that find nothing to do need not reach the store, so a refusal need not fail them. */
  answersFromMemory?: boolean;
  /** Hosts of one group are served by due time; between groups no order is promised. Default: one group. */
  groupOf?(host: HostKey): number;
  open(clock: TestClock): Promise<ComparedFrontier>;
}

export interface ComparedFrontier {
  frontier: Frontier & { results: Results };
  /** Ends it and opens the same store again. */
  restart(): Promise<ComparedFrontier>;
  /** While true, commits fail and must leave no trace. */
  refuse(on: boolean): void;
  /** Erases the crawl. False: a crawl of this store is only deleted with all others. */
  erase(crawl: CrawlId): Promise<boolean>;
}

/** They take turns in asking. */
const workers = ['w0', 'w1'] as WorkerId[];

/** After these a reader that follows the results comes back: they remove some, or what is in memory. */
const followed: ReadonlySet<Step['do']> = new Set(['retry', 'forget', 'restart', 'sweep']);

/** No single commit, which could be refused. */
const untouched: ReadonlySet<Step['do']> = new Set(['advance', 'restart', 'refuse', 'replace']);

/** Runs one sequence on the real frontier and the model and throws at the first difference. */
export async function compareSequence(store: ComparedStore, steps: Step[]): Promise<void> {
  const clock = testClock();
  const run = new Comparison(store, await store.open(clock), clock);
  for (const step of steps) {
    await run.take(step);
    await run.sameNumbers();
    if (followed.has(step.do)) await run.sameNews();
  }
  await run.sameNews();
  await run.samePlaces();
  await run.real.frontier.close();
}

class Comparison {
  real: ComparedFrontier;
  clock: TestClock;
  model: FrontierModel;
  /** How often the process was replaced. */
  processes = 0;
  /** Every lease ever granted, newest last. */
  leases: HostLease[] = [];
  fences = new Map<string, number>();
  /** Who was given the lease of this host with this fence. */
  holders = new Map<string, WorkerId>();

  /** How far a reader has come in each crawl: there, and by the model's count of settlements. */
  readers = new Map<CrawlId, { cursor: ResultsCursor | undefined; settlements: number }>();

  store: ComparedStore;

  constructor(store: ComparedStore, real: ComparedFrontier, clock: TestClock) {
    this.store = store;
    this.real = real;
    this.clock = clock;
    this.model = new FrontierModel(clock.now());
  }

  /** What is on its way ends with its process: a later one has higher numbers. */
  numbered<Name extends string, T extends Partial<Record<Name, number | undefined>>>(of: T, name: Name): T {
    const number = of[name];
    return number === undefined ? of : { ...of, [name]: number + 10 * this.processes };
  }

  async take(step: Step): Promise<void> {
    const { model, real } = this;
    const { frontier } = real;
    switch (step.do) {
      case 'openCrawl':
        await frontier.openCrawl(this.numbered(step.settings, 'edit'));
        return model.openCrawl(this.numbered(step.settings, 'edit'));
      case 'setState':
        return deepStrictEqual(
          await frontier.setState(step.crawl, step.state, this.numbered(step, 'wish').wish),
          model.setState(step.crawl, step.state, this.numbered(step, 'wish').wish),
        );
      case 'seed':
        return deepStrictEqual(
          await frontier.seed(step.crawl, step.offers, { last: step.last }),
          model.seed(step.crawl, step.offers, { last: step.last }),
        );
      case 'offer':
        return deepStrictEqual(
          await frontier.offer(step.crawl, step.offers),
          model.offer(step.crawl, step.offers),
        );
      case 'lease':
        return await this.lease(step.hosts, step.urls);
      case 'leaseHost':
        return await this.leaseHost(step);
      case 'renew': {
        const lease = this.leases.at(-1 - step.lease);
        if (lease) deepStrictEqual(await frontier.renew([lease]), [model.renew(lease)]);
        return;
      }
      case 'report':
        return await this.report(step.report);
      case 'advance':
        this.clock.advance(step.ms);
        model.now += step.ms;
        return;
      case 'sweep':
        return deepStrictEqual(await frontier.sweep(), model.sweep());
      case 'releaseAll':
        return await this.releaseAll(step.worker);
      case 'finish':
        return strictEqual(await frontier.finish(step.crawl), model.finish(step.crawl));
      case 'limit':
        return strictEqual(await frontier.limit(step.crawl), limitPlainly(model, step.crawl));
      case 'keepTime': {
        const { ran, sumMs } = runPlainly(model, step.crawl, { ms: step.ms, process: this.processes });
        return strictEqual(await frontier.keepTime(step.crawl, ran), sumMs);
      }
      case 'retry':
        return strictEqual(
          await retryAll(frontier, step.crawl, step.filter),
          model.retry(step.crawl, step.filter),
        );
      case 'forget':
        return await this.forget(step.crawl, step.pattern);
      case 'replace':
        return await this.replace(step.settings);
      case 'restart':
        this.processes++;
        this.real = await real.restart();
        return;
      case 'refuse':
        return await this.refused(step.step);
    }
  }

  async forget(crawl: CrawlId, pattern: string): Promise<void> {
    const { model } = this;
    const { frontier } = this.real;
    const gone = forgetPlainly(model, crawl, pattern);
    const wait = async (ms: number) => {
      strictEqual(ms, heldFor(model, crawl, pattern));
      this.clock.advance(ms);
      model.now += ms;
      deepStrictEqual(await frontier.sweep(), model.sweep());
    };
    strictEqual(await forgetAll(frontier, crawl, { pattern, moved: [] }, wait), gone);
    strictEqual(heldFor(model, crawl, pattern), 0);
    forgotPlainly(model, crawl, pattern);
  }

  /** Deletes a crawl while it runs, and begins another one under its name. */
  async replace(settings: FrontierCrawl): Promise<void> {
    if (!(await this.real.erase(settings.id))) return;
    erasePlainly(this.model, settings.id);
    this.readers.delete(settings.id);
    await this.real.frontier.openCrawl(settings);
    this.model.openCrawl(settings);
  }

  /** The call fails, and afterwards everything is as if it had never been made. */
  async refused(step: Step): Promise<void> {
    const { model, leases } = this;
    if (untouched.has(step.do)) return;
    const named = step.do === 'report' ? step.report.lease : step.do === 'renew' ? step.lease : -1;
    if (named >= leases.length) return;
    this.model = model.copy();
    this.leases = [...leases];
    this.real.refuse(true);
    let failed = false;
    try {
      await this.take(step);
    } catch (error) {
      failed = (error as Error).message === 'refused';
      if (!failed) throw error;
    } finally {
      this.real.refuse(false);
      this.model = model;
      this.leases = leases;
    }
    ok(failed || this.store.answersFromMemory, 'a refused commit did not fail its call');
  }

  /** All workers are gone, or one of them. */
  async releaseAll(dead: number | undefined): Promise<void> {
    const worker = dead === undefined ? undefined : workers[dead];
    const isDead =
      worker && ((host: HostKey, fence: number) => this.holders.get(`${host} ${fence}`) === worker);
    strictEqual(await this.real.frontier.releaseAll(worker), this.model.releaseAll(isDead));
  }

  nextWorker(): WorkerId {
    return workers[this.leases.length % workers.length] as WorkerId;
  }

  async lease(hosts: number, urls: number): Promise<void> {
    const { model } = this;
    const worker = this.nextWorker();
    const answer = await this.real.frontier.lease({ worker, hosts, urlsPerHost: urls });
    model.expire();
    ok(answer.leases.length <= hosts, 'more hosts than asked for');
    for (const lease of answer.leases) {
      this.holders.set(`${lease.host} ${lease.fence}`, worker);
      this.granted(lease, urls);
    }
    if (answer.leases.length < hosts) deepStrictEqual(model.servable(), []);
    const { nextDueMs, limited } = answer;
    deepStrictEqual({ nextDueMs, limited }, model.outlook());
  }

  /** A grant must be of a host that waited longest, to the crawl whose turn it is. */
  granted(lease: HostLease, urls: number): void {
    const { model } = this;
    const servable = model.servable();
    const here = servable.filter(({ host }) => host === lease.host);
    ok(
      here.some(({ crawl }) => crawl === lease.crawl),
      `${lease.crawl} ${lease.host} was not due`,
    );
    const groupOf = this.store.groupOf ?? (() => 0);
    const group = groupOf(lease.host);
    const longest = Math.min(...servable.filter(({ host }) => groupOf(host) === group).map(({ due }) => due));
    strictEqual(Math.min(...here.map(({ due }) => due)), longest, 'another host waited longer');
    const turn = turnOf(model, lease.crawl, lease.host);
    for (const { crawl } of here) {
      const other = turnOf(model, crawl, lease.host);
      if (other.team === turn.team) ok(turn.own <= other.own, 'another crawl had the turn');
      else ok(turn.ofTeam <= other.ofTeam, 'another team had the turn');
    }
    const { settings } = model.crawl(lease.crawl);
    this.newFence(lease);
    strictEqual(lease.ttlMs, settings.leaseTtlMs);
    const { lastEnd } = model.host(lease.host);
    strictEqual(lease.endedAgoMs, lastEnd === undefined ? null : model.now - lastEnd);
    deepStrictEqual(lease.entries, model.grant(lease.crawl, lease.host, { urls, fence: lease.fence }));
    ok(lease.entries.length > 0, 'an empty lease');
  }

  newFence(lease: HostLease): void {
    ok(lease.fence > (this.fences.get(lease.host) ?? 0), 'a fence went back');
    this.fences.set(lease.host, lease.fence);
    this.leases.push(lease);
  }

  async leaseHost({ crawl, host }: Extract<Step, { do: 'leaseHost' }>): Promise<void> {
    const worker = this.nextWorker();
    const answer = await this.real.frontier.leaseHost({ worker, crawl, host });
    const expected = this.model.leaseHost(crawl, host);
    if (expected !== 'granted') return deepStrictEqual(answer, expected);
    ok(answer.granted, 'the host was free');
    deepStrictEqual(answer.lease.entries, []);
    this.newFence(answer.lease);
    this.holders.set(`${host} ${answer.lease.fence}`, worker);
    this.model.take(crawl, host, answer.lease.fence);
  }

  async report(plan: ReportPlan): Promise<void> {
    const lease = this.leases.at(-1 - plan.lease);
    if (!lease) return;
    const report = reportOf(lease, plan);
    const reports = plan.twice ? [report, report] : [report];
    const answers = await this.real.frontier.report(reports);
    deepStrictEqual(
      answers,
      reports.map((one) => {
        const said = this.model.report(one);
        if (!said.ok) releaseErased(this.model, one);
        return said;
      }),
    );
  }

  async sameNumbers(): Promise<void> {
    const { model } = this;
    const { frontier } = this.real;
    for (const crawl of model.crawls.keys()) {
      const balance = await frontier.balance(crawl);
      ok(addsUp(balance), `does not add up: ${JSON.stringify(balance)}`);
      deepStrictEqual(balance, model.balance(crawl));
      deepStrictEqual(await frontier.totals(crawl), model.totals(crawl));
      const waits = await frontier.waiting(crawl, 10);
      const expected = hostKeys
        .filter((host) => model.hasWork(crawl, host))
        .map((host) => ({ host, queued: model.queue(crawl, host).length, due: model.clock(crawl, host) }));
      const plain = waits.map(({ host, queued, dueInMs }) => ({ host, queued, due: dueInMs }));
      const byHost = (a: { host: string }, b: { host: string }) => (a.host < b.host ? -1 : 1);
      deepStrictEqual(
        plain.toSorted(byHost),
        expected.map((wait) => ({ ...wait, due: Math.max(0, wait.due - model.now) })).toSorted(byHost),
      );
    }
  }

  /** Each known URL is in exactly one place, and it is the place the model has it in. */
  async samePlaces(): Promise<void> {
    const { frontier } = this.real;
    for (const url of this.model.urls.values()) {
      const story = await frontier.look(url.crawl, url.offer.url);
      strictEqual(story?.state, url.state, url.offer.url);
      if (story.state === 'settled')
        deepStrictEqual(comparable(story.record), comparable(url.record as PageRecord));
      else deepStrictEqual(story.entry, entryOf(url));
      if (story.state === 'queued') strictEqual(story.ahead, this.ahead(url));
    }
    for (const crawl of this.model.crawls.keys()) {
      const settled = this.model.of(crawl).filter((url) => url.record);
      const records: string[] = [];
      for await (const record of frontier.results.records(crawl)) records.push(record.url);
      deepStrictEqual(records.toSorted(), settled.map((url) => url.offer.url as string).toSorted());
    }
  }

  /** A reader sees what was settled since it came last and is still there: once, in the order of each host. */
  async sameNews(): Promise<void> {
    const { model } = this;
    const { results } = this.real.frontier;
    for (const crawl of model.crawls.keys()) {
      const before = this.readers.get(crawl) ?? { cursor: undefined, settlements: 0 };
      const expected = model
        .of(crawl)
        .filter(({ record, settledAs = 0 }) => record && settledAs > before.settlements)
        .toSorted((a, b) => (a.settledAs ?? 0) - (b.settledAs ?? 0));
      const entries: ResultEntry[] = [];
      let { cursor } = before;
      for (let more = true; more; ) {
        const page = await results.after(crawl, cursor, {
          kinds: resultKinds,
          filter: {},
          limit: 3,
          absent: 'hold',
        });
        entries.push(...page.entries);
        ({ cursor, more } = page);
      }
      const found = entries.map((entry) => [
        entry.url,
        entry.kind === 'links' ? entry.links.edges.length : entry.kind,
      ]);
      const wanted = expected.map(({ offer, items, edges: { length: edges } }) => [
        [offer.url, 'record'],
        ...Array.from({ length: items }, () => [offer.url, 'item']),
        ...(edges > 0 ? [[offer.url, edges]] : []),
      ]);
      const ofHost = (host: HostKey, list: unknown[][]) =>
        list.filter(([url]) => hostOf(url as Url) === host);
      for (const host of hostKeys) deepStrictEqual(ofHost(host, found), ofHost(host, wanted.flat()));
      this.readers.set(crawl, { cursor, settlements: model.settlements });
    }
  }

  ahead(url: ModelUrl): number {
    return this.model.queue(url.crawl, url.host).indexOf(url);
  }
}

/** The words of a record that a frontier writes itself are its own. */
function comparable(record: PageRecord): Omit<PageRecord, 'detail'> {
  const { detail: _detail, ...rest } = record;
  return rest;
}

function reportOf(lease: HostLease, plan: ReportPlan): LeaseReport {
  const { id, crawl, host, fence } = lease;
  const { loose, endedAgoMs, gapMs, health, close } = plan;
  const settled = lease.entries.flatMap((entry, n): Settlement[] => {
    const fate = plan.fates[n % plan.fates.length];
    if (fate === 'open' || fate === undefined) return [];
    if (fate === 'retry') return [{ kind: 'retry', url: entry.url, reason: 'timeout' }];
    return [settlementOf(entry, plan, fate)];
  });
  const news = { endedAgoMs, gapMs, why: 'slow' as const, health, reason: 'timeout' as const };
  const begun = plan.begun ? { begun: true } : {};
  return { id, crawl, host, fence, settled, offers: loose, news, ...begun, close };
}

const reasons = { done: 'ok', failed: 'timeout', refused: 'robots' } as const;

function settlementOf(entry: Entry, plan: ReportPlan, verdict: 'done' | 'failed' | 'refused'): Settlement {
  const { url, kind, depth, label, request, referrer, attempt } = entry;
  const record: PageRecord = {
    url,
    kind,
    depth,
    ...(label === undefined ? {} : { label }),
    ...(request === undefined ? {} : { request }),
    ...(referrer === undefined ? {} : { referrer }),
    verdict,
    reason: reasons[verdict],
    attempts: attempt + 1,
    status: plan.status,
    bytes: plan.bytes,
    startedAtMs: 1,
    durationMs: 2,
    links: plan.offers.length,
    items: plan.items,
  };
  const edges = plan.offers.map((offer) => ({ to: offer.url, rel: 'a' }));
  const items = Array.from({ length: plan.items }, (_, n) => n);
  return { kind: 'outcome', url, record, offers: plan.offers, edges, items, dropped: { scope: 1 } };
}

/** When a crawl, and its team by those of its crawls that have work there, last had a host. */
function turnOf(model: FrontierModel, crawl: CrawlId, host: HostKey) {
  const { team } = model.crawl(crawl).settings;
  const sharing = [...model.crawls].filter(
    ([other, { state, settings }]) =>
      settings.team === team && state === 'running' && !model.limitedBy(other) && model.hasWork(other, host),
  );
  const turns = sharing.map(([other]) => model.pair(other, host).turn);
  return { team, ofTeam: Math.max(0, ...turns), own: model.pair(crawl, host).turn };
}
