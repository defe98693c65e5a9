import { WebfarerError } from '@webfarer/protocol';

/** Another handler would record pages as done without their items, and follow links that the program did not choose. */
export function needsOwnCode(folder: string): WebfarerError {
  return new WebfarerError(
    'usage',
    `${folder} holds a crawl of your own program, whose onPage decides what is kept of a page and which links are followed.`,
    {
      next: `Run that program again. To fetch failed pages again, requeue them first:  webfarer retry ${folder} --verdict failed --no-run`,
    },
  );
}

/** The same for a process that joins such a crawl in a store, from any folder. */
export function storedOwnCode(name: string): WebfarerError {
  return new WebfarerError(
    'usage',
    `The store holds ${name} as a crawl of your own program, whose onPage decides what is kept of a page and which links are followed.`,
    { next: 'Run that program on this machine to take part. For another crawl, choose another name.' },
  );
}
