import { resolveJob } from '@webfarer/protocol/job';
import { normaliser } from '@webfarer/protocol/url';
import { decodeBody, isHtml, parseContentType, readDocument } from '@webfarer/worker';
import { readWarc } from '@webfarer/worker/archive';
import { blockOf, warcPaths } from './compare.ts';

/** What pages of the archive need and the archive does not hold, read from the archive alone. */
export async function missingRequisites(folder: string): Promise<{ needed: number; missing: string[] }> {
  const normalise = normaliser(resolveJob({ seeds: ['http://a.test/'] }).normalise);
  const held = new Set<string>();
  const needed = new Set<string>();
  for (const file of await warcPaths(folder)) {
    for await (const record of readWarc(file)) {
      const url = record.field('warc-target-uri') ?? '';
      if (record.type === 'revisit') held.add(url);
      if (record.type !== 'response') continue;
      held.add(url);
      const block = await blockOf(record);
      const end = block.indexOf('\r\n\r\n');
      const headers = headersOf(block.toString('latin1', 0, end));
      const valueOf = (name: string) => headers.find(([found]) => found.toLowerCase() === name)?.[1];
      if (!block.toString('latin1', 0, 20).startsWith('HTTP/1.1 200 ')) continue;
      if (!isHtml(parseContentType(valueOf('content-type')).mime)) continue;
      const decoded = await decodeBody(block.subarray(end + 4), valueOf('content-encoding'), {
        maxBytes: 1e8,
      });
      if (!decoded.ok) continue;
      const document = readDocument({
        url: url as never,
        headers,
        body: decoded.body,
        normalise,
        agentToken: 'webfarer',
      });
      for (const requisite of document.requisites) needed.add(requisite);
    }
  }
  return { needed: needed.size, missing: [...needed].filter((url) => !held.has(url)) };
}

function headersOf(head: string): [string, string][] {
  return head
    .split('\r\n')
    .slice(1)
    .map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
}
