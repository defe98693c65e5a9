import { join } from 'node:path';
import type { PageRecord } from '@webfarer/protocol';
import { rebuiltAnswersName, storedRetriesName } from '@webfarer/protocol/crawl';
import { openArchive } from '../archive/open-archive.ts';
import type { KeptFacts, StoredAnswer, StoredAnswers } from '../context/stored-answers.ts';
import type { ObjectPlace } from '../objects/object-place.ts';
import { noOthers, type RenderedPage } from '../fetch/fetch.ts';
import { openLineTable } from './line-table.ts';
import { readStored, type Stored } from './stored-exchange.ts';

/** Undefined where the folder has no answer that is to be handled once more. */
export async function openStoredAnswers(
  folder: string,
  objects: ObjectPlace | undefined,
): Promise<StoredAnswers | undefined> {
  const retries = await openLineTable(join(folder, storedRetriesName));
  const rebuilt = await openLineTable(join(folder, rebuiltAnswersName));
  if (!retries && !rebuilt) return undefined;
  const archive = openArchive(folder, objects);

  async function answerOf(record: PageRecord, asksRobots: boolean): Promise<StoredAnswer | undefined> {
    const at = record.saved?.[0];
    // One that sent its reader elsewhere is shown anew.
    if (!at || record.rendered?.movedTo !== undefined) return undefined;
    const stored = await readStored(archive, at, record).catch(() => undefined);
    if (!stored) return undefined;
    const { exchange } = stored;
    const rendered = renderedBefore(stored, record);
    const page = { ...exchange, ok: true as const, others: noOthers, rendered, release: () => undefined };
    return { page, kept: keptOf(record), asksRobots };
  }

  return {
    async take(url) {
      const retry = (await retries?.take(url)) as PageRecord | undefined;
      if (retry) return await answerOf(retry, false);
      const before = (await rebuilt?.take(url)) as PageRecord | undefined;
      return before && (await answerOf(before, true));
    },
  };
}

function renderedBefore({ html, picture }: Stored, { rendered }: PageRecord): RenderedPage | undefined {
  if (html === undefined) return undefined;
  const { durationMs = 0, restless = false, errors = [], leftOut = [] } = rendered ?? {};
  return {
    html,
    own: html,
    movedTo: undefined,
    restless,
    errors,
    durationMs,
    leftOut,
    pictures: [],
    picture,
  };
}

function keptOf({ saved, resources, rendered, renderedWhy }: PageRecord): KeptFacts {
  return {
    ...(saved ? { saved } : {}),
    ...(resources ? { resources } : {}),
    ...(rendered ? { rendered } : {}),
    ...(renderedWhy ? { renderedWhy } : {}),
  };
}
