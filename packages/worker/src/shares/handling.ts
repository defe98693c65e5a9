import type { Account } from './account.ts';

/** What is done with a page on the main thread. */
export type Stage = 'read' | 'handler' | 'save';

/** Whose page is computed on. */
export interface Handling {
  account: Account;
  url: string;
  stage: Stage;
}

/** Of a page that is worked on. */
export function asStage(
  {
    context: { account },
    entry: { url },
  }: { context: Pick<Handling, 'account'>; entry: Pick<Handling, 'url'> },
  stage: Stage,
): Handling {
  return { account, url, stage };
}
