/** A crawl read from its folder: an entry of its own, so that the thread that writes the outputs loads nothing else. */
export { sqlite } from './sqlite/node-sqlite.ts';
export { readFrontier } from './folder/open-frontier.ts';
export { itemChangesIn } from './crawl/reading/item-changes.ts';
