/** What travels between worker and coordinator: frames, their schemas and the packed forms of reports and links. */
export { areEdges, packEdges, pageLinks, type PageLinks, unpackEdges } from './edge-codec.ts';
export { LinkReader, type LinkUrl, textOf } from './link-reader.ts';
export { bands, entryKinds, mostRequestBytes } from '../base/entry.ts';
export { readCoordinatorFrame, readWorkerFrame, requestIdIn } from './frame-schemas.ts';
export {
  type CoordinatorFrame,
  type ForeignHello,
  frameBounds,
  type Hello,
  linkCloses,
  linkVersion,
  type Request,
  type SentBody,
  type Welcome,
  type WorkerFrame,
} from './frames.ts';
export type { Trust } from '../base/trust.ts';
export { receiveFailure, sendFailure, type SentFailure } from './failure.ts';
export {
  type CrawlNews,
  type LinkCrawl,
  obey,
  type Order,
  type Orders,
  type Peer,
  sendOrders,
} from './orders.ts';
export { packReport, type SentReport, type SentReports, unpackSent } from './report-frame.ts';
