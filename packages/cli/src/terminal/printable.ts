import { unprintable } from '@webfarer/protocol/crawl/json-line';
import { redact } from '@webfarer/protocol/url/secrets';

/** The last look at everything that is printed: passwords are masked, and no stray character obeyed. */
export function printable(text: string): string {
  return redact(text).replace(unprintable, '');
}
