import type { CrawlSnapshot } from '@webfarer/protocol';
import { endedBy, isOver } from '@webfarer/protocol/crawl';
import {
  isOpen,
  numberOf,
  numberTable,
  shownBalance,
  shownState,
  stateTable,
} from '@webfarer/protocol/numbers';
import type { NetworkStatus } from '@webfarer/coordinator';
import { waitingFor } from './wording.ts';
import { count, longSpan, plural, rate, stopwatch } from '../terminal/format.ts';
import { leftWords } from './goal.ts';
import { balanceLines, errorWords } from './summary.ts';
import { tableLines } from '../terminal/table.ts';
import { clean, painter, type Paint, truncate } from '../terminal/text.ts';

const MOST_WORKERS = 50;

/** A coordinator, its crawls, and who works for it. */
export function networkLines(status: NetworkStatus, size: { columns: number; colour: boolean }): string[] {
  const paint = painter(size.colour);
  const { coordinator, crawls, workers, peers } = status;
  return [
    coordinatorLine(coordinator, paint),
    ...crawls.flatMap((crawl) => crawlLines(crawl, size.columns, paint)),
    ...(crawls.length === 0 ? ['  no crawl'] : []),
    ...workerLines(workers, size.columns, paint),
    ...peerLines(peers, coordinator.id, { columns: size.columns, paint }),
  ];
}

export function coordinatorLine(
  { id, url, upMs, version }: NetworkStatus['coordinator'],
  paint: Paint,
): string {
  const about = `coordinator ${clean(id)}   up ${longSpan(upMs)}   webfarer ${clean(version)}`;
  return `  ${paint('strong', clean(url))}   ${about}`;
}

/** All coordinators of a store; one that is alone needs no table. */
export function peerLines(
  peers: NetworkStatus['peers'],
  own: string,
  size: { columns: number; paint: Paint },
): string[] {
  if (peers.length < 2) return [];
  const table = tableLines(
    peers,
    [
      { title: 'coordinator', value: ({ id }) => id },
      { title: 'at', value: ({ url }) => url, wide: true },
      { title: 'workers', value: ({ workers }) => count(workers), right: true },
      { title: 'hosts', value: ({ hosts }) => count(hosts), right: true },
      {
        title: '',
        value: ({ id, leaving, cordoned }) =>
          leaving ? 'leaving' : cordoned ? 'cordoned' : id === own ? 'this one' : '',
      },
    ],
    size,
  );
  return [`  ${plural(peers.length, 'coordinator')}`, ...table];
}

export function crawlLines(crawl: CrawlSnapshot, columns: number, paint: Paint): string[] {
  const waiting = waitingFor(crawl);
  const over = isOver(crawl);
  const balance = shownBalance(crawl.balance, isOpen(crawl.state));
  const speed = over
    ? []
    : [`${rate(numberOf('pagesPerSecond', crawl) ?? 0)} ${numberTable.pagesPerSecond.words.en}`];
  const left = leftWords(crawl) ?? [];
  const state = shownState(crawl);
  const less = endedBy(crawl);
  const flying = over ? [] : [`${numberTable.inFlight.words.en} ${count(crawl.inFlight)}`];
  const more = [...flying, ...errorWords(crawl)];
  const ran = `${numberTable.elapsed.words.en} ${stopwatch(crawl.elapsedMs)}`;
  const facts = [stateTable[state].words.en, ran, ...speed].concat(left);
  return [
    `  ${paint('strong', clean(crawl.name))}   ${facts.join('   ')}`,
    ...balanceLines(balance, columns, paint),
    ...(more.length === 0 ? [] : [`  ${truncate(more.join('   '), columns - 2)}`]),
    ...(less === undefined ? [] : [`  ${less}`]),
    ...(waiting === undefined || over ? [] : [`  waiting for ${waiting}`]),
  ];
}

export function workerNote({ held, hungry, pause, cordoned }: NetworkStatus['workers'][number]): string {
  if (cordoned) return 'cordoned';
  if (pause) return `paused: ${clean(pause.text)}`;
  return held === 0 && hungry ? 'nothing due' : '';
}

function workerLines(workers: NetworkStatus['workers'], columns: number, paint: Paint): string[] {
  if (workers.length === 0) return ['  no worker is connected'];
  const busiest = workers.toSorted((a, b) => b.pagesPerSecond - a.pagesPerSecond);
  const table = tableLines(
    busiest.slice(0, MOST_WORKERS),
    [
      { title: 'worker', value: ({ worker }) => worker },
      { title: 'from', value: ({ address }) => address, wide: true },
      {
        title: 'hosts',
        value: ({ held, connections }) => `${count(held)} of ${count(connections)}`,
        right: true,
      },
      { title: 'pages', value: ({ pages }) => count(pages), right: true },
      { title: 'pages/s', value: ({ pagesPerSecond }) => rate(pagesPerSecond), right: true },
      { title: 'connected', value: ({ linkedMs }) => longSpan(linkedMs), right: true },
      { title: '', value: workerNote },
    ],
    { columns, paint },
  );
  const more = workers.length > MOST_WORKERS ? [`  … and ${count(workers.length - MOST_WORKERS)} more`] : [];
  return [`  ${plural(workers.length, 'worker')}`, ...table, ...more];
}
