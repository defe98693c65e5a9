import { WebfarerError } from '@webfarer/protocol';

/** Something in a WARC file that its format does not allow, and where. */
export class WarcProblem extends WebfarerError {
  /** Of the record it is in. */
  readonly offset: number;
  /** The file ends in the middle of the record: what a crash leaves, and a repair cuts off. */
  readonly torn: boolean;

  constructor(offset: number, text: string, torn = false) {
    super('usage', `at byte ${offset}: ${text}`, {
      next: 'webfarer warc repair FILE keeps every intact record',
    });
    this.offset = offset;
    this.torn = torn;
  }
}
