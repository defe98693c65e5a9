import type { RenditionKind } from '@webfarer/protocol';
import { quoted } from './explain-command.ts';

/** Reads a capture where its archive is; the same in every folder of a crawl whose archive is in object storage. */
export function captureCommand(url: string, rendition?: { kind: RenditionKind; mime: string }): string {
  const command = `webfarer warc cat ${quoted(url)} --folder FOLDER`;
  if (!rendition) return command;
  const ending = rendition.mime.replace(/^image\//, '').replaceAll(/[^a-z]/g, '');
  return `${command} --rendition ${rendition.kind} > ${rendition.kind}.${ending}`;
}
