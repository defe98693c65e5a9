import type { LeaseReport } from '@webfarer/protocol';
import { packReport, type SentReport, unpackSent } from '@webfarer/protocol/link';

/** Reports as bytes: a length, JSON of that length, then the links of all pages as the store keeps them. */
export function packReports(reports: LeaseReport[]): Uint8Array {
  const edges: Uint8Array[] = [];
  const sent = reports.map((report) => packReport(report, edges));
  const json = Buffer.from(JSON.stringify(sent));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  return Buffer.concat([length, json, ...edges]);
}

export function unpackReports(bytes: Uint8Array): LeaseReport[] {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = 4 + all.readUInt32LE(0);
  return unpackSent(JSON.parse(all.toString('utf8', 4, at)) as SentReport[], all.subarray(at));
}
