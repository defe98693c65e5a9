/** What a crawl that was killed left in one saver. All but the first two are 0 where everything is right. */
export interface SaverFindings {
  /** Records with a capture in this saver. */
  records: number;
  /** Captures that a crash left without a record: harmless, and never named. */
  orphans: number;
  /** Records whose body the read side does not give back as it was. */
  unread: number;
  /** Records whose body a tool that is not ours does not give back as it was. */
  unreadOutside: number;
  /** Files that do not end with a whole capture. */
  tornTails: number;
  /** Records that share a place or a name, and what a tool finds beyond one for each record. */
  doubles: number;
}

export const nothingFound = (): SaverFindings => ({
  records: 0,
  orphans: 0,
  unread: 0,
  unreadOutside: 0,
  tornTails: 0,
  doubles: 0,
});

export function isRight({ records, orphans, ...troubles }: SaverFindings): boolean {
  return records > 0 && orphans >= 0 && Object.values(troubles).every((count) => count === 0);
}
