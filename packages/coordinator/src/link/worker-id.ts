import type { WorkerId } from '@webfarer/protocol';

/**
 * How the store knows a worker; the successor of one that died has the same. The member is the folder among several
 * that share a crawl, the process its number among several of a folder.
 */
export function workerId(member = 'local', process?: number): WorkerId {
  return (process === undefined ? member : `${member}-${process}`) as WorkerId;
}

/** The worker that one of several processes belongs to. */
export function wholeWorker(process: WorkerId): WorkerId {
  return process.replace(/-\d+$/, '') as WorkerId;
}
