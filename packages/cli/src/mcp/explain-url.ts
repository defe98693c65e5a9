import { WebfarerError } from '@webfarer/protocol';
import { seedUrl } from '@webfarer/protocol/url';
import type { Url } from '@webfarer/protocol';
import { crawlsAbout, existingCrawl, folderTitle } from './agent-folders.ts';
import type { AgentWorld } from './agent-world.ts';
import { robotsWords } from './fetch-page.ts';

export interface UrlExplanation {
  url: string;
  folder: string;
  state: string;
  /** The reason code, where there is one. */
  code?: string;
  /** What decided, a sentence each. */
  why: string[];
  robots: string;
}

/** What became of a URL in a crawl of an agent. Makes no request. */
export async function explainUrl(
  { local, rules }: AgentWorld,
  { url: text, folder: named }: { url: string; folder?: string | undefined },
): Promise<UrlExplanation> {
  const folder =
    named === undefined ? crawlAbout(rules.folder, text) : await existingCrawl(rules.folder, named);
  const reader = await local.readFolder(folder);
  try {
    const { url, state, code, lines } = await reader.explain(seedUrl(text)[0] ?? text);
    const robots = await robotsWords(reader, url);
    return {
      url,
      folder: folderTitle(rules.folder, folder),
      state,
      ...(code === undefined ? {} : { code }),
      why: lines,
      robots,
    };
  } finally {
    await reader.close();
  }
}

function crawlAbout(root: string, text: string): string {
  const url = seedUrl(text)[0] as Url | undefined;
  const [folder] = url === undefined ? [] : crawlsAbout(root, url);
  if (folder !== undefined) return folder;
  throw new WebfarerError('not-found', `No crawl here is about ${text.slice(0, 200)}.`, {
    next: 'Name one with folder, or fetch the page first.',
  });
}
