import { type CrawlOptions, crawl } from 'webfarer';
import * as handlers from './handlers.ts';

/** A program that crawls with hooks of its own. Ends with one line of JSON: how the crawl ended, and what was unhandled. */
const [folder = '', origin = '', fields = '{}'] = process.argv.slice(2);
let unhandled = 0;
process.on('unhandledRejection', () => void unhandled++);
process.on('uncaughtException', () => void unhandled++);

const { onPage, onResponse, onItem, items, onSkipped, onFailed, normalise, onRequest } = handlers;
// What a program passes may have any type; only JavaScript would notice.
const hooks = { onPage, onResponse, onItem, items, onSkipped, onFailed, normalise, onRequest } as unknown;
try {
  const { state } = await crawl({
    ...(JSON.parse(fields) as object),
    ...(hooks as object),
    folder,
    seeds: [`${origin}/`],
  } as CrawlOptions);
  // What is unhandled is told a turn later.
  await new Promise((resolve) => setTimeout(resolve, 50));
  console.log(JSON.stringify({ state, unhandled }));
} catch (error) {
  console.log(JSON.stringify({ state: 'error', error: String(error), unhandled }));
}
